package dev.reprise.softgpu.engine.math;

import static jdk.incubator.vector.VectorOperators.ABS;
import static jdk.incubator.vector.VectorOperators.ASHR;
import static jdk.incubator.vector.VectorOperators.BIT_COUNT;
import static jdk.incubator.vector.VectorOperators.EQ;
import static jdk.incubator.vector.VectorOperators.I2L;
import static jdk.incubator.vector.VectorOperators.L2I;
import static jdk.incubator.vector.VectorOperators.LE;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LSHR;
import static jdk.incubator.vector.VectorOperators.LT;
import static jdk.incubator.vector.VectorOperators.NE;
import static jdk.incubator.vector.VectorOperators.NOT;
import static jdk.incubator.vector.VectorOperators.UGE;
import static jdk.incubator.vector.VectorOperators.ULT;
import static jdk.incubator.vector.VectorOperators.UMAX;
import static jdk.incubator.vector.VectorOperators.UMIN;
import static jdk.incubator.vector.VectorOperators.XOR;
import static jdk.incubator.vector.VectorOperators.ZERO_EXTEND_I2L;

import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorShuffle;
import jdk.incubator.vector.VectorSpecies;

/**
 * What instructions compute in {@link #LANES} lanes at once, for generated code: the methods of
 * {@link LaneScalars}, on vectors of the JDK's Vector API (JEP 508). A predicate is a mask of
 * {@code int} lanes. Only to be loaded where the module {@code jdk.incubator.vector} is ({@link
 * Vectors}).
 */
public final class LaneVectors {
  /**
   * Lanes of a step: those of a vector of {@code long}, so that all classes of registers have as
   * many. Divides 32.
   */
  public static final int LANES =
      Math.max(2, IntVector.SPECIES_PREFERRED.vectorBitSize() / Long.SIZE);

  /** The greatest distance of {@link #exchange}. */
  public static final int FARTHEST = Math.min(4, LANES / 2);

  private static final VectorShape NARROW = VectorShape.forBitSize(LANES * Integer.SIZE);
  static final VectorShape WIDE = VectorShape.forBitSize(LANES * Long.SIZE);
  static final VectorSpecies<Integer> I = VectorSpecies.of(int.class, NARROW);
  static final VectorSpecies<Float> F = VectorSpecies.of(float.class, NARROW);
  static final VectorSpecies<Long> L = VectorSpecies.of(long.class, WIDE);
  static final VectorSpecies<Double> D = VectorSpecies.of(double.class, WIDE);

  // Constants, of which the JIT makes less than of what a call computes.
  private static final VectorShuffle<Integer> BY_1 =
      VectorShuffle.fromOp(I, k -> (k ^ 1) & (LANES - 1));
  private static final VectorShuffle<Integer> BY_2 =
      VectorShuffle.fromOp(I, k -> (k ^ 2) & (LANES - 1));
  private static final VectorShuffle<Integer> BY_4 =
      VectorShuffle.fromOp(I, k -> (k ^ 4) & (LANES - 1));

  private LaneVectors() {}

  // Lanes k, k + 1, … of a register.

  public static IntVector load(int[] register, int k) {
    return IntVector.fromArray(I, register, k);
  }

  public static FloatVector load(float[] register, int k) {
    return FloatVector.fromArray(F, register, k);
  }

  public static LongVector load(long[] register, int k) {
    return LongVector.fromArray(L, register, k);
  }

  public static DoubleVector load(double[] register, int k) {
    return DoubleVector.fromArray(D, register, k);
  }

  public static void store(IntVector v, int[] register, int k) {
    v.intoArray(register, k);
  }

  public static void store(FloatVector v, float[] register, int k) {
    v.intoArray(register, k);
  }

  public static void store(LongVector v, long[] register, int k) {
    v.intoArray(register, k);
  }

  public static void store(DoubleVector v, double[] register, int k) {
    v.intoArray(register, k);
  }

  /** The lanes of a predicate from {@code k} on. */
  public static VectorMask<Integer> mask(int predicate, int k) {
    return VectorMask.fromLong(I, predicate >>> k);
  }

  /** The bits of a predicate, its lanes from {@code k} on known. */
  public static int collect(int known, VectorMask<Integer> p, int k) {
    return known | (int) p.toLong() << k;
  }

  // The same in all lanes.

  public static IntVector all(int a) {
    return IntVector.broadcast(I, a);
  }

  public static FloatVector all(float a) {
    return FloatVector.broadcast(F, a);
  }

  public static LongVector all(long a) {
    return LongVector.broadcast(L, a);
  }

  public static DoubleVector all(double a) {
    return DoubleVector.broadcast(D, a);
  }

  // Between lanes.

  /** What the lane has whose number differs by {@code distance} of the same step. */
  public static IntVector exchange(IntVector v, int distance) {
    return v.rearrange(distance == 1 ? BY_1 : distance == 2 ? BY_2 : BY_4);
  }

  // Integers.

  public static IntVector add(IntVector a, IntVector b) {
    return a.add(b);
  }

  public static LongVector add(LongVector a, LongVector b) {
    return a.add(b);
  }

  public static IntVector sub(IntVector a, IntVector b) {
    return a.sub(b);
  }

  public static LongVector sub(LongVector a, LongVector b) {
    return a.sub(b);
  }

  public static IntVector mul(IntVector a, IntVector b) {
    return a.mul(b);
  }

  public static LongVector mul(LongVector a, LongVector b) {
    return a.mul(b);
  }

  public static IntVector and(IntVector a, IntVector b) {
    return a.and(b);
  }

  public static LongVector and(LongVector a, LongVector b) {
    return a.and(b);
  }

  public static VectorMask<Integer> and(VectorMask<Integer> a, VectorMask<Integer> b) {
    return a.and(b);
  }

  public static IntVector or(IntVector a, IntVector b) {
    return a.or(b);
  }

  public static LongVector or(LongVector a, LongVector b) {
    return a.or(b);
  }

  public static VectorMask<Integer> or(VectorMask<Integer> a, VectorMask<Integer> b) {
    return a.or(b);
  }

  public static IntVector xor(IntVector a, IntVector b) {
    return a.lanewise(XOR, b);
  }

  public static LongVector xor(LongVector a, LongVector b) {
    return a.lanewise(XOR, b);
  }

  public static VectorMask<Integer> xor(VectorMask<Integer> a, VectorMask<Integer> b) {
    return a.xor(b);
  }

  public static IntVector minS(IntVector a, IntVector b) {
    return a.min(b);
  }

  public static LongVector minS(LongVector a, LongVector b) {
    return a.min(b);
  }

  public static IntVector maxS(IntVector a, IntVector b) {
    return a.max(b);
  }

  public static LongVector maxS(LongVector a, LongVector b) {
    return a.max(b);
  }

  public static IntVector minU(IntVector a, IntVector b) {
    return a.lanewise(UMIN, b);
  }

  public static IntVector maxU(IntVector a, IntVector b) {
    return a.lanewise(UMAX, b);
  }

  public static IntVector mulHiS(IntVector a, IntVector b) {
    return high(mulWideS(a, b));
  }

  public static IntVector mulHiU(IntVector a, IntVector b) {
    return high(mulWideU(a, b));
  }

  public static IntVector shl(IntVector a, int b) {
    return a.lanewise(LSHL, b);
  }

  public static IntVector shrU(IntVector a, int b) {
    return a.lanewise(LSHR, b);
  }

  public static IntVector shrS(IntVector a, int b) {
    return a.lanewise(ASHR, b);
  }

  /** By 32 and more to 0. */
  public static IntVector shlBy(IntVector a, IntVector b) {
    return a.lanewise(LSHL, b).blend(0, b.compare(UGE, 32));
  }

  public static IntVector shrUBy(IntVector a, IntVector b) {
    return a.lanewise(LSHR, b).blend(0, b.compare(UGE, 32));
  }

  public static IntVector shrSBy(IntVector a, IntVector b) {
    return a.lanewise(ASHR, b.lanewise(UMIN, 31));
  }

  public static LongVector shl(LongVector a, int b) {
    return a.lanewise(LSHL, b);
  }

  public static LongVector shrU(LongVector a, int b) {
    return a.lanewise(LSHR, b);
  }

  public static LongVector shrS(LongVector a, int b) {
    return a.lanewise(ASHR, b);
  }

  public static IntVector mad(IntVector a, IntVector b, IntVector c) {
    return a.mul(b).add(c);
  }

  public static LongVector mad(LongVector a, LongVector b, LongVector c) {
    return a.mul(b).add(c);
  }

  public static IntVector mov(IntVector a) {
    return a;
  }

  public static LongVector mov(LongVector a) {
    return a;
  }

  public static IntVector not(IntVector a) {
    return a.lanewise(NOT);
  }

  public static LongVector not(LongVector a) {
    return a.lanewise(NOT);
  }

  public static VectorMask<Integer> not(VectorMask<Integer> a) {
    return a.not();
  }

  public static IntVector neg(IntVector a) {
    return a.neg();
  }

  public static LongVector neg(LongVector a) {
    return a.neg();
  }

  public static IntVector abs(IntVector a) {
    return a.lanewise(ABS);
  }

  public static LongVector abs(LongVector a) {
    return a.lanewise(ABS);
  }

  public static IntVector low16(IntVector a) {
    return a.and(0xffff);
  }

  public static IntVector signed16(IntVector a) {
    return a.lanewise(LSHL, 16).lanewise(ASHR, 16);
  }

  public static IntVector signed8(IntVector a) {
    return a.lanewise(LSHL, 24).lanewise(ASHR, 24);
  }

  public static IntVector low8(IntVector a) {
    return a.and(0xff);
  }

  public static IntVector popc(IntVector a) {
    return a.lanewise(BIT_COUNT);
  }

  public static LongVector mulWideS(IntVector a, IntVector b) {
    return extendS(a).mul(extendS(b));
  }

  public static LongVector mulWideU(IntVector a, IntVector b) {
    return extendU(a).mul(extendU(b));
  }

  public static LongVector madWideS(IntVector a, IntVector b, LongVector c) {
    return mulWideS(a, b).add(c);
  }

  public static LongVector madWideU(IntVector a, IntVector b, LongVector c) {
    return mulWideU(a, b).add(c);
  }

  public static LongVector extendS(IntVector a) {
    return (LongVector) a.convertShape(I2L, L, 0);
  }

  public static LongVector extendU(IntVector a) {
    return (LongVector) a.convertShape(ZERO_EXTEND_I2L, L, 0);
  }

  public static IntVector low(LongVector a) {
    return (IntVector) a.convertShape(L2I, I, 0);
  }

  public static IntVector high(LongVector a) {
    return low(a.lanewise(LSHR, 32));
  }

  public static LongVector join(IntVector a, IntVector b) {
    return extendU(a).or(extendS(b).lanewise(LSHL, 32));
  }

  public static IntVector field(IntVector a, int shift, int keep) {
    return a.lanewise(LSHR, shift).and(keep);
  }

  public static IntVector field(LongVector a, int shift, int keep) {
    return low(a.lanewise(LSHR, shift)).and(keep);
  }

  public static IntVector select(IntVector a, IntVector b, VectorMask<Integer> p) {
    return b.blend(a, p);
  }

  public static LongVector select(LongVector a, LongVector b, VectorMask<Integer> p) {
    return b.blend(a, p.cast(L));
  }

  // Comparisons.

  public static VectorMask<Integer> predicate(VectorMask<Integer> p) {
    return p;
  }

  public static VectorMask<Integer> eq(IntVector a, IntVector b) {
    return a.compare(EQ, b);
  }

  public static VectorMask<Integer> notEq(IntVector a, IntVector b) {
    return a.compare(NE, b);
  }

  public static VectorMask<Integer> ltS(IntVector a, IntVector b) {
    return a.compare(LT, b);
  }

  public static VectorMask<Integer> notLtS(IntVector a, IntVector b) {
    return b.compare(LE, a);
  }

  public static VectorMask<Integer> ltU(IntVector a, IntVector b) {
    return a.compare(ULT, b);
  }

  public static VectorMask<Integer> notLtU(IntVector a, IntVector b) {
    return a.compare(UGE, b);
  }

  public static VectorMask<Integer> eq(LongVector a, LongVector b) {
    return a.compare(EQ, b).cast(I);
  }

  public static VectorMask<Integer> notEq(LongVector a, LongVector b) {
    return a.compare(NE, b).cast(I);
  }

  public static VectorMask<Integer> ltS(LongVector a, LongVector b) {
    return a.compare(LT, b).cast(I);
  }

  public static VectorMask<Integer> notLtS(LongVector a, LongVector b) {
    return b.compare(LE, a).cast(I);
  }

  public static VectorMask<Integer> ltU(LongVector a, LongVector b) {
    return a.compare(ULT, b).cast(I);
  }

  public static VectorMask<Integer> notLtU(LongVector a, LongVector b) {
    return a.compare(UGE, b).cast(I);
  }
}
