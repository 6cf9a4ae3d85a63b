package dev.reprise.softgpu.engine.exec;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A tensor in global memory and the part of it that a copy takes, as {@code CUtensorMap} holds them
 * in 128 bytes, whose layout CUDA leaves open (CUDA Driver API, "Tensor Map Object Management").
 * Dimension 0 is the innermost.
 *
 * @param type of the elements
 * @param address of the first element
 * @param extents elements along each dimension
 * @param strides bytes from one index to the next, for each dimension but the innermost
 * @param steps how far apart those are that a copy takes; that of dimension 0 counts as 1
 * @param region what a copy takes
 * @param swizzle how shared memory is arranged
 * @param fillsNan whether elements outside are NaN instead of zero
 */
public record TensorMap(
    TensorElement type,
    long address,
    long[] extents,
    long[] strides,
    int[] steps,
    TensorRegion region,
    TensorSwizzle swizzle,
    boolean fillsNan) {

  /** Size of a map. */
  public static final int BYTES = 128;

  /** Most dimensions. */
  public static final int RANKS = 5;

  /** Dimensions that are no place in an image: channels and images. */
  public static final int NO_PLACE = 2;

  /** What a map begins with, so that other bytes are not taken for one. */
  private static final int MARK = 0x50414d54;

  // Kernels can make a map of zeros by replacing each field, so that zero means the default.
  static final int TYPE_AT = 4;
  static final int RANK_AT = 5;
  static final int SWIZZLE_AT = 6;
  static final int FILL_AT = 7;
  static final int ADDRESS_AT = 8;
  static final int EXTENTS_AT = 16;
  static final int BOX_AT = 36;
  static final int STEPS_AT = 46;
  private static final int MODE_AT = 51;
  static final int ATOMICITY_AT = 52;
  static final int STRIDES_AT = 56;
  private static final int LOWER_AT = 96;
  private static final int UPPER_AT = 102;
  private static final int CHANNELS_AT = 108;
  private static final int PIXELS_AT = 110;

  public int rank() {
    return extents.length;
  }

  /** How far apart elements are that a copy takes. */
  int step(int dimension) {
    return dimension == 0 ? 1 : steps[dimension];
  }

  /** Writes the map. */
  public void write(MemorySegment to) {
    to.asSlice(0, BYTES).fill((byte) 0);
    to.set(JAVA_INT_UNALIGNED, 0, MARK);
    to.set(JAVA_BYTE, TYPE_AT, (byte) type.ordinal());
    to.set(JAVA_BYTE, RANK_AT, (byte) rank());
    to.set(JAVA_BYTE, SWIZZLE_AT, (byte) swizzle.mode());
    to.set(JAVA_BYTE, ATOMICITY_AT, (byte) swizzle.atomicity());
    to.set(JAVA_BYTE, FILL_AT, (byte) (fillsNan ? 1 : 0));
    to.set(JAVA_LONG_UNALIGNED, ADDRESS_AT, address);
    to.set(JAVA_BYTE, MODE_AT, (byte) region.mode().ordinal());
    for (int k = 0; k < rank(); k++) {
      // An extent can be 2^32.
      to.set(JAVA_INT_UNALIGNED, EXTENTS_AT + 4L * k, (int) (extents[k] - 1));
      to.set(JAVA_BYTE, STEPS_AT + (long) k, (byte) steps[k]);
    }
    for (int k = 0; k < strides.length; k++) {
      to.set(JAVA_LONG_UNALIGNED, STRIDES_AT + 8L * k, strides[k]);
    }
    switch (region) {
      case TensorRegion.Tile t -> put(to, BOX_AT, t.box());
      case TensorRegion.Column c -> {
        put(to, LOWER_AT, c.lower());
        put(to, UPPER_AT, c.upper());
        put(to, CHANNELS_AT, c.row());
        put(to, PIXELS_AT, c.pixels());
      }
    }
  }

  private static void put(MemorySegment to, long at, int... values) {
    for (int k = 0; k < values.length; k++) {
      to.set(JAVA_SHORT_UNALIGNED, at + 2L * k, (short) values[k]);
    }
  }

  private static int[] shorts(MemorySegment from, long at, int count) {
    int[] values = new int[count];
    for (int k = 0; k < count; k++) {
      values[k] = from.get(JAVA_SHORT_UNALIGNED, at + 2L * k);
    }
    return values;
  }

  /**
   * Makes sure that fields of these bytes can be replaced.
   *
   * @return why not; null if they are a map of a box, or zeros, which become one
   */
  static @Nullable String begin(MemorySegment map) {
    if (map.asSlice(0, BYTES).mismatch(MemorySegment.ofArray(new byte[BYTES])) < 0) {
      map.set(JAVA_INT_UNALIGNED, 0, MARK);
    }
    if (map.get(JAVA_INT_UNALIGNED, 0) != MARK) {
      return "changes what no tensor map is made of";
    }
    return map.get(JAVA_BYTE, MODE_AT) == 0 ? null : "changes a map that is not made for .tile";
  }

  /** The map that these bytes are; null if they are none. */
  public static @Nullable TensorMap read(MemorySegment from) {
    int rank = from.get(JAVA_BYTE, RANK_AT);
    if (from.get(JAVA_INT_UNALIGNED, 0) != MARK || rank < 1 || rank > RANKS) {
      return null;
    }
    long[] extents = new long[rank];
    long[] strides = new long[rank - 1];
    int[] steps = new int[rank];
    for (int k = 0; k < rank; k++) {
      extents[k] = Integer.toUnsignedLong(from.get(JAVA_INT_UNALIGNED, EXTENTS_AT + 4L * k)) + 1;
      steps[k] = from.get(JAVA_BYTE, STEPS_AT + (long) k);
    }
    for (int k = 0; k < strides.length; k++) {
      strides[k] = from.get(JAVA_LONG_UNALIGNED, STRIDES_AT + 8L * k);
    }
    TensorElement type = constant(TensorElement.values(), from, TYPE_AT);
    TensorSwizzle swizzle =
        TensorSwizzle.of(from.get(JAVA_BYTE, SWIZZLE_AT), from.get(JAVA_BYTE, ATOMICITY_AT));
    TensorMode mode = constant(TensorMode.values(), from, MODE_AT);
    if (type == null
        || swizzle == null
        || mode == null
        || (mode != TensorMode.TILE && rank <= NO_PLACE)) {
      return null;
    }
    return new TensorMap(
        type,
        from.get(JAVA_LONG_UNALIGNED, ADDRESS_AT),
        extents,
        strides,
        steps,
        region(mode, rank, from),
        swizzle,
        from.get(JAVA_BYTE, FILL_AT) != 0);
  }

  private static TensorRegion region(TensorMode mode, int rank, MemorySegment from) {
    if (mode == TensorMode.TILE) {
      return new TensorRegion.Tile(shorts(from, BOX_AT, rank));
    }
    int places = rank - NO_PLACE;
    return new TensorRegion.Column(
        mode,
        shorts(from, LOWER_AT, places),
        shorts(from, UPPER_AT, places),
        from.get(JAVA_SHORT_UNALIGNED, CHANNELS_AT),
        from.get(JAVA_SHORT_UNALIGNED, PIXELS_AT));
  }

  private static <T> @Nullable T constant(T[] all, MemorySegment from, long at) {
    int ordinal = from.get(JAVA_BYTE, at);
    return ordinal < 0 || ordinal >= all.length ? null : all[ordinal];
  }

  /** The same map of another tensor. */
  public TensorMap at(long otherAddress) {
    return new TensorMap(type, otherAddress, extents, strides, steps, region, swizzle, fillsNan);
  }
}
