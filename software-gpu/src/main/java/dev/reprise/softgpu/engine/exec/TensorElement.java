package dev.reprise.softgpu.engine.exec;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Elements of tensors that copies take, in the order of {@code CUtensorMapDataType}. Packed ones
 * are named by their gaps in shared memory (PTX ISA, "Sub-byte Types").
 */
public enum TensorElement {
  U8(8, 0),
  U16(16, 0),
  U32(32, 0),
  S32(32, 0),
  U64(64, 0),
  S64(64, 0),
  F16(16, Constants.HALF_NAN),
  F32(32, Constants.NAN),
  F64(64, Long.MAX_VALUE),
  BF16(16, Constants.HALF_NAN),
  F32_FTZ(32, Constants.NAN),
  TF32(32, Constants.NAN),
  TF32_FTZ(32, Constants.NAN),
  /** {@code .b4x16}: 16 of 4 bits, without gaps. */
  U4(4, 0),
  /** {@code .b4x16_p64}: 16 of 4 bits, then 8 bytes of gap. */
  U4_GAP_8(4, 0),
  /**
   * {@code .b6x16_p32} and {@code .b6p2x16}: 16 of 6 bits, then 4 bytes of gap; what goes to global
   * memory comes from the low 6 bits of 16 bytes.
   */
  U6_GAP_4(6, 0);

  private static final class Constants {
    /** The one that {@code fma.oob} knows. */
    static final long HALF_NAN = 0x7ff7;

    static final long NAN = 0x7fff_ffffL;
  }

  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  /** Packed elements come in so many. */
  private static final int GROUP = 16;

  /** Elements with gaps are copied in multiples of so many. */
  private static final int GAP_UNIT = 128;

  private final int bits;
  private final long nan;

  TensorElement(int bits, long nan) {
    this.bits = bits;
    this.nan = nan;
  }

  public int bits() {
    return bits;
  }

  /** Bytes of so many elements in global memory. */
  public long bytes(long count) {
    return count * bits / Byte.SIZE;
  }

  /** Bytes in shared memory for so many in global memory. */
  public int sharedBytes(int global) {
    return gap() ? global / (int) bytes(GROUP) * GROUP : global;
  }

  /** Whether shared memory has gaps between the elements. */
  public boolean gap() {
    return this == U4_GAP_8 || this == U6_GAP_4;
  }

  /** Whether elements are smaller than bytes. */
  public boolean packed() {
    return bits < Byte.SIZE;
  }

  public boolean floating() {
    return nan != 0;
  }

  /** What the coordinate of the innermost dimension must be a multiple of. */
  public int unit() {
    return gap() ? GAP_UNIT : packed() ? 2 : 1;
  }

  /** Fills a box with NaN. */
  void fillNan(byte[] box) {
    int element = bits / Byte.SIZE;
    for (int k = 0; k < box.length; k++) {
      box[k] = (byte) (nan >>> Byte.SIZE * (k % element));
    }
  }

  /** What shared memory holds of elements of global memory. */
  byte[] toShared(byte[] global) {
    return gap() ? spread(global) : rounded(global);
  }

  /** What global memory holds of elements of shared memory. */
  byte[] toGlobal(byte[] shared) {
    return gap() ? dense(shared) : rounded(shared);
  }

  /** Gaps are filled with ones, so that nothing takes them for zeros. */
  private byte[] spread(byte[] global) {
    int group = (int) bytes(GROUP);
    byte[] shared = new byte[sharedBytes(global.length)];
    Arrays.fill(shared, (byte) -1);
    for (int k = 0; k * group < global.length; k++) {
      System.arraycopy(global, k * group, shared, k * GROUP, group);
    }
    return shared;
  }

  /** The low bits of each byte, one after the other. */
  private byte[] dense(byte[] shared) {
    byte[] global = new byte[(int) bytes(shared.length)];
    for (int k = 0; k < shared.length; k++) {
      int value = shared[k] & (1 << bits) - 1;
      int at = k * bits;
      global[at / Byte.SIZE] |= (byte) (value << at % Byte.SIZE);
      if (at % Byte.SIZE + bits > Byte.SIZE) {
        global[at / Byte.SIZE + 1] |= (byte) (value >>> Byte.SIZE - at % Byte.SIZE);
      }
    }
    return global;
  }

  private byte[] rounded(byte[] box) {
    boolean flush = this == F32_FTZ || this == TF32_FTZ;
    boolean tensorFloat = this == TF32 || this == TF32_FTZ;
    if (flush || tensorFloat) {
      for (int k = 0; k < box.length; k += Integer.BYTES) {
        int v = (int) INT.get(box, k);
        v = flush && (v & 0x7f80_0000) == 0 ? v & Integer.MIN_VALUE : v;
        INT.set(box, k, tensorFloat ? tensorFloat(v) : v);
      }
    }
    return box;
  }

  /** To nearest even with 10 bits of fraction; a NaN becomes the canonical one. */
  private static int tensorFloat(int v) {
    return (v & Integer.MAX_VALUE) > 0x7f80_0000
        ? (int) Constants.NAN
        : v + 0xfff + (v >>> 13 & 1) & 0xffff_e000;
  }
}
