package dev.reprise.softgpu.engine.exec;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A tensor in global memory and the box of it that a copy takes, as {@code CUtensorMap} holds them
 * in 128 bytes, whose layout CUDA leaves open (CUDA Driver API, "Tensor Map Object Management").
 * Dimension 0 is the innermost.
 *
 * @param type of the elements
 * @param address of the first element
 * @param extents elements along each dimension
 * @param strides bytes from one index to the next, for each dimension but the innermost
 * @param box elements that a copy spans along each dimension
 * @param steps how far apart those are that it takes; that of dimension 0 counts as 1
 * @param swizzle bytes within which chunks of 16 are exchanged in shared memory; 0 for none
 * @param fillsNan whether elements outside are NaN instead of zero
 */
public record TensorMap(
    TensorElement type,
    long address,
    long[] extents,
    long[] strides,
    int[] box,
    int[] steps,
    int swizzle,
    boolean fillsNan) {

  /** Size of a map. */
  public static final int BYTES = 128;

  /** Most dimensions. */
  public static final int RANKS = 5;

  /** What a map begins with, so that other bytes are not taken for one. */
  private static final int MARK = 0x50414d54;

  private static final int TYPE_AT = 4;
  private static final int RANK_AT = 5;
  private static final int SWIZZLE_AT = 6;
  private static final int FILL_AT = 7;
  private static final int ADDRESS_AT = 8;
  private static final int EXTENTS_AT = 16;
  private static final int BOX_AT = 36;
  private static final int STEPS_AT = 46;
  private static final int STRIDES_AT = 56;

  public int rank() {
    return extents.length;
  }

  /** Elements that a copy takes along a dimension. */
  public int count(int dimension) {
    int step = dimension == 0 ? 1 : steps[dimension];
    return (box[dimension] + step - 1) / step;
  }

  /** Bytes that a copy takes. */
  public int boxBytes() {
    int bytes = type.bytes();
    for (int k = 0; k < rank(); k++) {
      bytes *= count(k);
    }
    return bytes;
  }

  /** Writes the map. */
  public void write(MemorySegment to) {
    to.asSlice(0, BYTES).fill((byte) 0);
    to.set(JAVA_INT_UNALIGNED, 0, MARK);
    to.set(JAVA_BYTE, TYPE_AT, (byte) type.ordinal());
    to.set(JAVA_BYTE, RANK_AT, (byte) rank());
    to.set(JAVA_BYTE, SWIZZLE_AT, (byte) (swizzle / 16));
    to.set(JAVA_BYTE, FILL_AT, (byte) (fillsNan ? 1 : 0));
    to.set(JAVA_LONG_UNALIGNED, ADDRESS_AT, address);
    for (int k = 0; k < rank(); k++) {
      // An extent can be 2^32.
      to.set(JAVA_INT_UNALIGNED, EXTENTS_AT + 4L * k, (int) (extents[k] - 1));
      to.set(JAVA_SHORT_UNALIGNED, BOX_AT + 2L * k, (short) box[k]);
      to.set(JAVA_BYTE, STEPS_AT + (long) k, (byte) steps[k]);
    }
    for (int k = 0; k < strides.length; k++) {
      to.set(JAVA_LONG_UNALIGNED, STRIDES_AT + 8L * k, strides[k]);
    }
  }

  /** The map that these bytes are; null if they are none. */
  public static @Nullable TensorMap read(MemorySegment from) {
    int rank = from.get(JAVA_BYTE, RANK_AT);
    int type = from.get(JAVA_BYTE, TYPE_AT);
    if (from.get(JAVA_INT_UNALIGNED, 0) != MARK
        || rank < 1
        || rank > RANKS
        || type < 0
        || type >= TensorElement.values().length) {
      return null;
    }
    long[] extents = new long[rank];
    long[] strides = new long[rank - 1];
    int[] box = new int[rank];
    int[] steps = new int[rank];
    for (int k = 0; k < rank; k++) {
      extents[k] = Integer.toUnsignedLong(from.get(JAVA_INT_UNALIGNED, EXTENTS_AT + 4L * k)) + 1;
      box[k] = from.get(JAVA_SHORT_UNALIGNED, BOX_AT + 2L * k);
      steps[k] = from.get(JAVA_BYTE, STEPS_AT + (long) k);
    }
    for (int k = 0; k < strides.length; k++) {
      strides[k] = from.get(JAVA_LONG_UNALIGNED, STRIDES_AT + 8L * k);
    }
    return new TensorMap(
        TensorElement.values()[type],
        from.get(JAVA_LONG_UNALIGNED, ADDRESS_AT),
        extents,
        strides,
        box,
        steps,
        from.get(JAVA_BYTE, SWIZZLE_AT) * 16,
        from.get(JAVA_BYTE, FILL_AT) != 0);
  }

  /** The same map of another tensor. */
  public TensorMap at(long otherAddress) {
    return new TensorMap(type, otherAddress, extents, strides, box, steps, swizzle, fillsNan);
  }

  /** Where a byte of a box goes that would go to an address in shared memory without swizzling. */
  public long swizzled(long at) {
    // Of the bits 7 to 9, as many as the span has chunks.
    long chunks = swizzle == 0 ? 0 : swizzle / 16 - 1;
    return at ^ (at >>> 7 & chunks) << 4;
  }
}
