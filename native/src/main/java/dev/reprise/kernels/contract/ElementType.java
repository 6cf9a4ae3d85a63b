package dev.reprise.kernels.contract;

/** Type of the elements of a buffer. All are little-endian. */
public enum ElementType {
  /** IEEE binary32. */
  F32(4),
  /** IEEE binary16. */
  F16(2),
  /** Signed 32-bit integer. */
  I32(4),
  /** Unsigned 32-bit integer. */
  U32(4),
  /** Unsigned 64-bit integer. */
  U64(8);

  private final int bytes;

  ElementType(int bytes) {
    this.bytes = bytes;
  }

  /** Bytes of one element. */
  public int bytes() {
    return bytes;
  }
}
