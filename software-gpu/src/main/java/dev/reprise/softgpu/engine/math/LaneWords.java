package dev.reprise.softgpu.engine.math;

import static dev.reprise.softgpu.engine.math.LaneVectors.F;
import static dev.reprise.softgpu.engine.math.LaneVectors.I;
import static dev.reprise.softgpu.engine.math.LaneVectors.L;
import static dev.reprise.softgpu.engine.math.LaneVectors.LANES;
import static dev.reprise.softgpu.engine.math.LaneVectors.WIDE;
import static jdk.incubator.vector.VectorOperators.IS_NAN;
import static jdk.incubator.vector.VectorOperators.NE;

import dev.reprise.softgpu.memory.HostMemory;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorSpecies;

/**
 * Moves one, two or four words of each lane between registers and native memory with the Vector
 * API, where those of neighbouring lanes lie side by side. It calls nothing but the API itself,
 * which the JIT always inlines: it may leave out a method of ours where the caller is large, and
 * vectors would become objects. Only to be loaded where the API is there ({@link Vectors}).
 */
public final class LaneWords {
  /** Words of as many bits as a vector of {@code long} has. */
  private static final VectorSpecies<Integer> W = VectorSpecies.of(int.class, WIDE);

  private static final LongVector COUNT = LongVector.zero(L).addIndex(1);

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

  private LaneWords() {}

  private static IntVector everyOf(int words, int word) {
    return IntVector.zero(W).addIndex(words).and(words * LANES - 1).add(word);
  }

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
}
