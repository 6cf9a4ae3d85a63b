package dev.reprise.softgpu.engine.math;

import static dev.reprise.softgpu.engine.math.LaneVectors.D;
import static dev.reprise.softgpu.engine.math.LaneVectors.F;
import static dev.reprise.softgpu.engine.math.LaneVectors.I;
import static dev.reprise.softgpu.engine.math.LaneVectors.L;
import static jdk.incubator.vector.VectorOperators.D2F;
import static jdk.incubator.vector.VectorOperators.D2L;
import static jdk.incubator.vector.VectorOperators.EQ;
import static jdk.incubator.vector.VectorOperators.F2D;
import static jdk.incubator.vector.VectorOperators.I2F;
import static jdk.incubator.vector.VectorOperators.L2F;
import static jdk.incubator.vector.VectorOperators.LE;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LT;
import static jdk.incubator.vector.VectorOperators.NE;
import static jdk.incubator.vector.VectorOperators.SQRT;
import static jdk.incubator.vector.VectorOperators.UGE;

import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorMask;

/**
 * {@link LaneVectors} for floating point. Only to be loaded where the module {@code
 * jdk.incubator.vector} is ({@link Vectors}).
 */
public final class FloatLaneVectors {
  /** The canonical NaN. */
  private static final FloatVector NAN = LaneVectors.all(FloatBits.NAN);

  private static final FloatVector LEAST_NORMAL = LaneVectors.all(Float.MIN_NORMAL);
  private static final FloatVector ZERO = LaneVectors.all(0f);

  // Of exp2.
  private static final DoubleVector TERM_12 = LaneVectors.all(1.0 / 479001600);
  private static final DoubleVector TERM_11 = LaneVectors.all(1.0 / 39916800);
  private static final DoubleVector TERM_10 = LaneVectors.all(1.0 / 3628800);
  private static final DoubleVector TERM_9 = LaneVectors.all(1.0 / 362880);
  private static final DoubleVector TERM_8 = LaneVectors.all(1.0 / 40320);
  private static final DoubleVector TERM_7 = LaneVectors.all(1.0 / 5040);
  private static final DoubleVector TERM_6 = LaneVectors.all(1.0 / 720);
  private static final DoubleVector TERM_5 = LaneVectors.all(1.0 / 120);
  private static final DoubleVector TERM_4 = LaneVectors.all(1.0 / 24);
  private static final DoubleVector TERM_3 = LaneVectors.all(1.0 / 6);
  private static final DoubleVector TERM_2 = LaneVectors.all(0.5);
  private static final DoubleVector ONE = LaneVectors.all(1.0);
  private static final DoubleVector LN2 = LaneVectors.all(FloatBits.LN2);

  /** Adding what leaves no bits for fractions rounds to the nearest even. */
  private static final DoubleVector NO_FRACTIONS = LaneVectors.all(0x1.8p52);

  private static final LongVector BIAS = LaneVectors.all(1023L);
  private static final FloatVector LEAST_EXPONENT = LaneVectors.all(-200f);
  private static final FloatVector MOST_EXPONENT = LaneVectors.all(200f);

  private FloatLaneVectors() {}

  // A NaN is what does not equal itself: the API's own test for it is much more for the JIT.

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
    return a.compare(NE, a).or(b.compare(NE, b)).not().cast(I);
  }

  public static VectorMask<Integer> notOrdered(FloatVector a, FloatVector b) {
    return a.compare(NE, a).or(b.compare(NE, b)).cast(I);
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
    return a.compare(NE, a).or(b.compare(NE, b)).not().cast(I);
  }

  public static VectorMask<Integer> notOrdered(DoubleVector a, DoubleVector b) {
    return a.compare(NE, a).or(b.compare(NE, b)).cast(I);
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
    return a.min(b).blend(a, b.compare(NE, b)).blend(b, a.compare(NE, a));
  }

  public static FloatVector max(FloatVector a, FloatVector b) {
    return a.max(b).blend(a, b.compare(NE, b)).blend(b, a.compare(NE, a));
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
    return a.blend(a.mul(ZERO), a.abs().compare(LT, LEAST_NORMAL));
  }

  public static FloatVector rcp(FloatVector a) {
    return LaneVectors.all(1f).div(a);
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
    return canonical(a).reinterpretAsInts();
  }

  public static FloatVector canonical(FloatVector a) {
    return a.blend(NAN, a.compare(NE, a));
  }

  public static FloatVector ofBits(IntVector a) {
    return a.reinterpretAsFloats();
  }

  public static FloatVector ofS32(IntVector a) {
    return (FloatVector) a.convertShape(I2F, F, 0);
  }

  public static FloatVector ofU32(IntVector a) {
    return (FloatVector) LaneVectors.extendU(a).convertShape(L2F, F, 0);
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
    DoubleVector x =
        (DoubleVector) a.min(MOST_EXPONENT).max(LEAST_EXPONENT).convertShape(F2D, D, 0);
    DoubleVector whole = x.add(NO_FRACTIONS).sub(NO_FRACTIONS);
    DoubleVector t = x.sub(whole).mul(LN2);
    DoubleVector p = TERM_12.fma(t, TERM_11).fma(t, TERM_10).fma(t, TERM_9).fma(t, TERM_8);
    p = p.fma(t, TERM_7).fma(t, TERM_6).fma(t, TERM_5).fma(t, TERM_4).fma(t, TERM_3);
    p = p.fma(t, TERM_2).fma(t, ONE).fma(t, ONE);
    LongVector exponent = ((LongVector) whole.convertShape(D2L, L, 0)).add(BIAS);
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
    return a.min(b).blend(a, b.compare(NE, b)).blend(b, a.compare(NE, a));
  }

  public static DoubleVector max(DoubleVector a, DoubleVector b) {
    return a.max(b).blend(a, b.compare(NE, b)).blend(b, a.compare(NE, a));
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
    return LaneVectors.all(1.0).div(a);
  }

  public static DoubleVector sqrt(DoubleVector a) {
    return a.lanewise(SQRT);
  }

  public static DoubleVector select(DoubleVector a, DoubleVector b, VectorMask<Integer> p) {
    return b.blend(a, p.cast(D));
  }
}
