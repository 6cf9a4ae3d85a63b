package dev.reprise.softgpu.engine.math;

import static jdk.incubator.vector.VectorOperators.ABS;
import static jdk.incubator.vector.VectorOperators.ASHR;
import static jdk.incubator.vector.VectorOperators.BIT_COUNT;
import static jdk.incubator.vector.VectorOperators.D2F;
import static jdk.incubator.vector.VectorOperators.D2L;
import static jdk.incubator.vector.VectorOperators.EQ;
import static jdk.incubator.vector.VectorOperators.F2D;
import static jdk.incubator.vector.VectorOperators.I2F;
import static jdk.incubator.vector.VectorOperators.I2L;
import static jdk.incubator.vector.VectorOperators.IS_NAN;
import static jdk.incubator.vector.VectorOperators.L2F;
import static jdk.incubator.vector.VectorOperators.L2I;
import static jdk.incubator.vector.VectorOperators.LE;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LSHR;
import static jdk.incubator.vector.VectorOperators.LT;
import static jdk.incubator.vector.VectorOperators.NE;
import static jdk.incubator.vector.VectorOperators.NOT;
import static jdk.incubator.vector.VectorOperators.SQRT;
import static jdk.incubator.vector.VectorOperators.UGE;
import static jdk.incubator.vector.VectorOperators.ULT;
import static jdk.incubator.vector.VectorOperators.UMAX;
import static jdk.incubator.vector.VectorOperators.UMIN;
import static jdk.incubator.vector.VectorOperators.XOR;
import static jdk.incubator.vector.VectorOperators.ZERO_EXTEND_I2L;

import dev.reprise.softgpu.memory.HostMemory;
import java.nio.ByteOrder;
import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorShape;
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

  private static final VectorShape NARROW = VectorShape.forBitSize(LANES * Integer.SIZE);
  private static final VectorShape WIDE = VectorShape.forBitSize(LANES * Long.SIZE);
  private static final VectorSpecies<Integer> I = VectorSpecies.of(int.class, NARROW);
  private static final VectorSpecies<Float> F = VectorSpecies.of(float.class, NARROW);
  private static final VectorSpecies<Long> L = VectorSpecies.of(long.class, WIDE);
  private static final VectorSpecies<Double> D = VectorSpecies.of(double.class, WIDE);

  /** Words of as many bits as a vector of {@code long} has. */
  private static final VectorSpecies<Integer> W = VectorSpecies.of(int.class, WIDE);

  private static final LongVector COUNT = LongVector.zero(L).addIndex(1);
  private static final IntVector COUNTS = IntVector.zero(I).addIndex(1);

  /** Of vectors of two words side by side, the first words of the lanes and the second ones. */
  private static final IntVector FIRST_OF_TWO = everyOf(2, 0);

  private static final IntVector SECOND_OF_TWO = everyOf(2, 1);

  /** Of vectors of four words side by side, the first words of the lanes, the second ones, …. */
  private static final IntVector FIRST = everyOf(4, 0);

  private static final IntVector SECOND = everyOf(4, 1);
  private static final IntVector THIRD = everyOf(4, 2);
  private static final IntVector FOURTH = everyOf(4, 3);

  private static final ByteOrder ORDER = ByteOrder.nativeOrder();
  private static final long WIDE_BYTES = WIDE.vectorBitSize() / Byte.SIZE;

  private LaneVectors() {}

  private static IntVector everyOf(int words, int word) {
    return IntVector.zero(W).addIndex(words).and(words * LANES - 1).add(word);
  }

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

  // One, two or four words of each lane in native memory, those of neighbouring lanes side by side.

  // These call nothing but the API itself, which the JIT always inlines: it may leave out a method
  // of
  // ours where the caller is large, and vectors would become objects.

  /**
   * Whether lanes {@code k} to {@code k + LANES - 1} have addresses that lie {@code bytes} apart,
   * for each {@code k} that a step begins at.
   */
  public static boolean beside(long[] addresses, int bytes) {
    LongVector steps = COUNT.mul(bytes);
    VectorMask<Long> apart = L.maskAll(false);
    for (int k = 0; k < addresses.length; k += LANES) {
      LongVector from = LongVector.fromArray(L, addresses, k).sub(addresses[k]);
      apart = apart.or(from.compare(NE, steps));
    }
    return !apart.anyTrue();
  }

  /**
   * Loads the words of each lane, from its address plus {@code at}, where they lie {@link #beside}
   * each other.
   */
  public static void load(long[] addresses, long at, float[] d0) {
    for (int k = 0; k < addresses.length; k += LANES) {
      long from = addresses[k] + at;
      IntVector.fromMemorySegment(I, HostMemory.ALL, from, ORDER)
          .reinterpretAsFloats()
          .intoArray(d0, k);
    }
  }

  /** As the first one. */
  public static void load(long[] addresses, long at, float[] d0, float[] d1) {
    for (int k = 0; k < addresses.length; k += LANES) {
      long from = addresses[k] + at;
      IntVector v = IntVector.fromMemorySegment(W, HostMemory.ALL, from, ORDER);
      ((IntVector) FIRST_OF_TWO.selectFrom(v).reinterpretShape(I, 0))
          .reinterpretAsFloats()
          .intoArray(d0, k);
      ((IntVector) SECOND_OF_TWO.selectFrom(v).reinterpretShape(I, 0))
          .reinterpretAsFloats()
          .intoArray(d1, k);
    }
  }

  /** As the first one. */
  public static void load(
      long[] addresses, long at, float[] d0, float[] d1, float[] d2, float[] d3) {
    for (int k = 0; k < addresses.length; k += LANES) {
      long from = addresses[k] + at;
      IntVector v = IntVector.fromMemorySegment(W, HostMemory.ALL, from, ORDER);
      IntVector w = IntVector.fromMemorySegment(W, HostMemory.ALL, from + WIDE_BYTES, ORDER);
      ((IntVector) FIRST.selectFrom(v, w).reinterpretShape(I, 0))
          .reinterpretAsFloats()
          .intoArray(d0, k);
      ((IntVector) SECOND.selectFrom(v, w).reinterpretShape(I, 0))
          .reinterpretAsFloats()
          .intoArray(d1, k);
      ((IntVector) THIRD.selectFrom(v, w).reinterpretShape(I, 0))
          .reinterpretAsFloats()
          .intoArray(d2, k);
      ((IntVector) FOURTH.selectFrom(v, w).reinterpretShape(I, 0))
          .reinterpretAsFloats()
          .intoArray(d3, k);
    }
  }

  /** As the first one. */
  public static void load(long[] addresses, long at, int[] d0) {
    for (int k = 0; k < addresses.length; k += LANES) {
      long from = addresses[k] + at;
      IntVector.fromMemorySegment(I, HostMemory.ALL, from, ORDER).intoArray(d0, k);
    }
  }

  /** As the first one. */
  public static void load(long[] addresses, long at, int[] d0, int[] d1) {
    for (int k = 0; k < addresses.length; k += LANES) {
      long from = addresses[k] + at;
      IntVector v = IntVector.fromMemorySegment(W, HostMemory.ALL, from, ORDER);
      ((IntVector) FIRST_OF_TWO.selectFrom(v).reinterpretShape(I, 0)).intoArray(d0, k);
      ((IntVector) SECOND_OF_TWO.selectFrom(v).reinterpretShape(I, 0)).intoArray(d1, k);
    }
  }

  /** As the first one. */
  public static void load(long[] addresses, long at, int[] d0, int[] d1, int[] d2, int[] d3) {
    for (int k = 0; k < addresses.length; k += LANES) {
      long from = addresses[k] + at;
      IntVector v = IntVector.fromMemorySegment(W, HostMemory.ALL, from, ORDER);
      IntVector w = IntVector.fromMemorySegment(W, HostMemory.ALL, from + WIDE_BYTES, ORDER);
      ((IntVector) FIRST.selectFrom(v, w).reinterpretShape(I, 0)).intoArray(d0, k);
      ((IntVector) SECOND.selectFrom(v, w).reinterpretShape(I, 0)).intoArray(d1, k);
      ((IntVector) THIRD.selectFrom(v, w).reinterpretShape(I, 0)).intoArray(d2, k);
      ((IntVector) FOURTH.selectFrom(v, w).reinterpretShape(I, 0)).intoArray(d3, k);
    }
  }

  /**
   * Stores a word of each lane at its address plus {@code at}, where they lie beside each other.
   */
  public static void store(int[] words, long[] addresses, long at) {
    for (int k = 0; k < addresses.length; k += LANES) {
      IntVector.fromArray(I, words, k).intoMemorySegment(HostMemory.ALL, addresses[k] + at, ORDER);
    }
  }

  /** As the first one. */
  public static void store(float[] words, long[] addresses, long at) {
    for (int k = 0; k < addresses.length; k += LANES) {
      FloatVector.fromArray(F, words, k)
          .intoMemorySegment(HostMemory.ALL, addresses[k] + at, ORDER);
    }
  }

  /** As the first one; a NaN as the canonical one. */
  public static void storeCanonical(float[] words, long[] addresses, long at) {
    for (int k = 0; k < addresses.length; k += LANES) {
      FloatVector v = FloatVector.fromArray(F, words, k);
      v.blend(FloatBits.NAN, v.test(IS_NAN))
          .intoMemorySegment(HostMemory.ALL, addresses[k] + at, ORDER);
    }
  }

  /** What the lane has whose number differs by {@code distance} of the same step. */
  public static IntVector exchange(IntVector v, int distance) {
    return COUNTS.lanewise(XOR, distance).selectFrom(v);
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

  // Comparisons of floats: with {@code not}, the opposite, so that it holds for a NaN.

  public static VectorMask<Integer> eq(FloatVector a, FloatVector b) {
    return a.compare(EQ, b).cast(I);
  }

  public static VectorMask<Integer> notEq(FloatVector a, FloatVector b) {
    return a.compare(NE, b).cast(I);
  }

  public static VectorMask<Integer> lt(FloatVector a, FloatVector b) {
    return a.compare(LT, b).cast(I);
  }

  public static VectorMask<Integer> notLt(FloatVector a, FloatVector b) {
    return a.compare(LT, b).not().cast(I);
  }

  public static VectorMask<Integer> le(FloatVector a, FloatVector b) {
    return a.compare(LE, b).cast(I);
  }

  public static VectorMask<Integer> notLe(FloatVector a, FloatVector b) {
    return a.compare(LE, b).not().cast(I);
  }

  public static VectorMask<Integer> differs(FloatVector a, FloatVector b) {
    return a.compare(LT, b).or(b.compare(LT, a)).cast(I);
  }

  public static VectorMask<Integer> notDiffers(FloatVector a, FloatVector b) {
    return a.compare(LT, b).or(b.compare(LT, a)).not().cast(I);
  }

  public static VectorMask<Integer> ordered(FloatVector a, FloatVector b) {
    return a.test(IS_NAN).or(b.test(IS_NAN)).not().cast(I);
  }

  public static VectorMask<Integer> notOrdered(FloatVector a, FloatVector b) {
    return a.test(IS_NAN).or(b.test(IS_NAN)).cast(I);
  }

  public static VectorMask<Integer> eq(DoubleVector a, DoubleVector b) {
    return a.compare(EQ, b).cast(I);
  }

  public static VectorMask<Integer> notEq(DoubleVector a, DoubleVector b) {
    return a.compare(NE, b).cast(I);
  }

  public static VectorMask<Integer> lt(DoubleVector a, DoubleVector b) {
    return a.compare(LT, b).cast(I);
  }

  public static VectorMask<Integer> notLt(DoubleVector a, DoubleVector b) {
    return a.compare(LT, b).not().cast(I);
  }

  public static VectorMask<Integer> le(DoubleVector a, DoubleVector b) {
    return a.compare(LE, b).cast(I);
  }

  public static VectorMask<Integer> notLe(DoubleVector a, DoubleVector b) {
    return a.compare(LE, b).not().cast(I);
  }

  public static VectorMask<Integer> differs(DoubleVector a, DoubleVector b) {
    return a.compare(LT, b).or(b.compare(LT, a)).cast(I);
  }

  public static VectorMask<Integer> notDiffers(DoubleVector a, DoubleVector b) {
    return a.compare(LT, b).or(b.compare(LT, a)).not().cast(I);
  }

  public static VectorMask<Integer> ordered(DoubleVector a, DoubleVector b) {
    return a.test(IS_NAN).or(b.test(IS_NAN)).not().cast(I);
  }

  public static VectorMask<Integer> notOrdered(DoubleVector a, DoubleVector b) {
    return a.test(IS_NAN).or(b.test(IS_NAN)).cast(I);
  }

  // Single precision.

  public static FloatVector add(FloatVector a, FloatVector b) {
    return a.add(b);
  }

  public static FloatVector sub(FloatVector a, FloatVector b) {
    return a.sub(b);
  }

  public static FloatVector mul(FloatVector a, FloatVector b) {
    return a.mul(b);
  }

  public static FloatVector div(FloatVector a, FloatVector b) {
    return a.div(b);
  }

  public static FloatVector min(FloatVector a, FloatVector b) {
    return a.min(b).blend(a, b.test(IS_NAN)).blend(b, a.test(IS_NAN));
  }

  public static FloatVector max(FloatVector a, FloatVector b) {
    return a.max(b).blend(a, b.test(IS_NAN)).blend(b, a.test(IS_NAN));
  }

  public static FloatVector fma(FloatVector a, FloatVector b, FloatVector c) {
    return a.fma(b, c);
  }

  public static FloatVector mov(FloatVector a) {
    return a;
  }

  public static FloatVector neg(FloatVector a) {
    return a.neg();
  }

  public static FloatVector abs(FloatVector a) {
    return a.abs();
  }

  /** A subnormal value becomes zero of its sign. */
  public static FloatVector flush(FloatVector a) {
    return a.blend(a.mul(0f), a.abs().compare(LT, Float.MIN_NORMAL));
  }

  public static FloatVector rcp(FloatVector a) {
    return all(1f).div(a);
  }

  public static FloatVector sqrt(FloatVector a) {
    return a.lanewise(SQRT);
  }

  public static FloatVector select(FloatVector a, FloatVector b, VectorMask<Integer> p) {
    return b.blend(a, p.cast(F));
  }

  public static IntVector toBits(FloatVector a) {
    return a.reinterpretAsInts();
  }

  public static IntVector toCanonicalBits(FloatVector a) {
    return a.reinterpretAsInts().blend(0x7fff_ffff, a.test(IS_NAN).cast(I));
  }

  public static FloatVector canonical(FloatVector a) {
    return a.blend(FloatBits.NAN, a.test(IS_NAN));
  }

  public static FloatVector ofBits(IntVector a) {
    return a.reinterpretAsFloats();
  }

  public static FloatVector ofS32(IntVector a) {
    return (FloatVector) a.convertShape(I2F, F, 0);
  }

  public static FloatVector ofU32(IntVector a) {
    return (FloatVector) extendU(a).convertShape(L2F, F, 0);
  }

  /** 2^112 moves the exponent of a half where that of a float is; subnormals become normal. */
  public static FloatVector ofHalf(IntVector a) {
    IntVector size = a.and(0x7fff).lanewise(LSHL, 13);
    IntVector finite = size.reinterpretAsFloats().mul(0x1p112f).reinterpretAsInts();
    VectorMask<Integer> special = size.compare(UGE, 0x7c00 << 13);
    return finite
        .blend(size.or(0x7f80_0000), special)
        .or(a.and(0x8000).lanewise(LSHL, 16))
        .reinterpretAsFloats();
  }

  /** As {@link FloatBits#exp2}. */
  public static FloatVector exp2(FloatVector a) {
    DoubleVector x = (DoubleVector) a.min(200f).max(-200f).convertShape(F2D, D, 0);
    // Adding what leaves no bits for fractions rounds to the nearest even.
    DoubleVector whole = x.add(0x1.8p52).sub(0x1.8p52);
    DoubleVector t = x.sub(whole).mul(FloatBits.LN2);
    DoubleVector p = all(1.0 / 479001600);
    p = p.fma(t, all(1.0 / 39916800));
    p = p.fma(t, all(1.0 / 3628800));
    p = p.fma(t, all(1.0 / 362880));
    p = p.fma(t, all(1.0 / 40320));
    p = p.fma(t, all(1.0 / 5040));
    p = p.fma(t, all(1.0 / 720));
    p = p.fma(t, all(1.0 / 120));
    p = p.fma(t, all(1.0 / 24));
    p = p.fma(t, all(1.0 / 6));
    p = p.fma(t, all(0.5));
    p = p.fma(t, all(1.0));
    p = p.fma(t, all(1.0));
    LongVector exponent = ((LongVector) whole.convertShape(D2L, L, 0)).add(1023);
    DoubleVector power = exponent.lanewise(LSHL, 52).reinterpretAsDoubles();
    return (FloatVector) p.mul(power).convertShape(D2F, F, 0);
  }

  // Double precision.

  public static DoubleVector add(DoubleVector a, DoubleVector b) {
    return a.add(b);
  }

  public static DoubleVector sub(DoubleVector a, DoubleVector b) {
    return a.sub(b);
  }

  public static DoubleVector mul(DoubleVector a, DoubleVector b) {
    return a.mul(b);
  }

  public static DoubleVector div(DoubleVector a, DoubleVector b) {
    return a.div(b);
  }

  public static DoubleVector min(DoubleVector a, DoubleVector b) {
    return a.min(b).blend(a, b.test(IS_NAN)).blend(b, a.test(IS_NAN));
  }

  public static DoubleVector max(DoubleVector a, DoubleVector b) {
    return a.max(b).blend(a, b.test(IS_NAN)).blend(b, a.test(IS_NAN));
  }

  public static DoubleVector fma(DoubleVector a, DoubleVector b, DoubleVector c) {
    return a.fma(b, c);
  }

  public static DoubleVector mov(DoubleVector a) {
    return a;
  }

  public static DoubleVector neg(DoubleVector a) {
    return a.neg();
  }

  public static DoubleVector abs(DoubleVector a) {
    return a.abs();
  }

  public static DoubleVector rcp(DoubleVector a) {
    return all(1.0).div(a);
  }

  public static DoubleVector sqrt(DoubleVector a) {
    return a.lanewise(SQRT);
  }

  public static DoubleVector select(DoubleVector a, DoubleVector b, VectorMask<Integer> p) {
    return b.blend(a, p.cast(D));
  }
}
