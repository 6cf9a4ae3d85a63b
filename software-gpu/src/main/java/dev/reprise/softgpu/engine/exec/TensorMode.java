package dev.reprise.softgpu.engine.exec;

/** How a copy of a tensor walks through it (PTX ISA, "Tensor Access Modes"). */
public enum TensorMode {
  /** A box of the tensor's dimensions. */
  TILE("tile"),
  /** Four rows of a matrix: {@code .tile::gather4} and {@code .tile::scatter4}. */
  FOUR_ROWS("tile::gather4"),
  /**
   * Pixels one after the other, through all images: {@code .im2col} and {@code .im2col_no_offs}.
   */
  IM2COL("im2col"),
  /** Pixels of the same row of all images. */
  IM2COL_W("im2col::w"),
  /** As {@link #IM2COL_W}, always 128. */
  IM2COL_W_128("im2col::w::128");

  private final String text;

  TensorMode(String text) {
    this.text = text;
  }

  /** What PTX calls it for loads. */
  public String text() {
    return text;
  }

  /** The mode that a map for it is made for. */
  TensorMode ofMap() {
    return this == FOUR_ROWS ? TILE : this;
  }
}
