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
import static jdk.incubator.vector.VectorOperators.IS_NAN;
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
  private FloatLaneVectors() {}

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
    DoubleVector x = (DoubleVector) a.min(200f).max(-200f).convertShape(F2D, D, 0);
    // Adding what leaves no bits for fractions rounds to the nearest even.
    DoubleVector whole = x.add(0x1.8p52).sub(0x1.8p52);
    DoubleVector t = x.sub(whole).mul(FloatBits.LN2);
    DoubleVector p = LaneVectors.all(1.0 / 479001600);
    p = p.fma(t, LaneVectors.all(1.0 / 39916800));
    p = p.fma(t, LaneVectors.all(1.0 / 3628800));
    p = p.fma(t, LaneVectors.all(1.0 / 362880));
    p = p.fma(t, LaneVectors.all(1.0 / 40320));
    p = p.fma(t, LaneVectors.all(1.0 / 5040));
    p = p.fma(t, LaneVectors.all(1.0 / 720));
    p = p.fma(t, LaneVectors.all(1.0 / 120));
    p = p.fma(t, LaneVectors.all(1.0 / 24));
    p = p.fma(t, LaneVectors.all(1.0 / 6));
    p = p.fma(t, LaneVectors.all(0.5));
    p = p.fma(t, LaneVectors.all(1.0));
    p = p.fma(t, LaneVectors.all(1.0));
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
    return LaneVectors.all(1.0).div(a);
  }

  public static DoubleVector sqrt(DoubleVector a) {
    return a.lanewise(SQRT);
  }

  public static DoubleVector select(DoubleVector a, DoubleVector b, VectorMask<Integer> p) {
    return b.blend(a, p.cast(D));
  }
}
