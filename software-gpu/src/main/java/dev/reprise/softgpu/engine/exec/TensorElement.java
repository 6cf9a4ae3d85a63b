package dev.reprise.softgpu.engine.exec;

/** Elements of tensors that copies take, in the order of {@code CUtensorMapDataType}. */
public enum TensorElement {
  U8(1, 0),
  U16(2, 0),
  U32(4, 0),
  S32(4, 0),
  U64(8, 0),
  S64(8, 0),
  F16(2, 0x7fff),
  F32(4, 0x7fff_ffffL),
  F64(8, 0x7fff_ffff_ffff_ffffL),
  BF16(2, 0x7fff);

  private final int bytes;
  private final long nan;

  TensorElement(int bytes, long nan) {
    this.bytes = bytes;
    this.nan = nan;
  }

  public int bytes() {
    return bytes;
  }

  public boolean floating() {
    return nan != 0;
  }

  /** The bits of a NaN, which are the greatest positive ones. */
  long nan() {
    return nan;
  }
}
