package dev.reprise.softgpu.engine.exec;

/** What of a tensor a copy takes, as its map says. */
public sealed interface TensorRegion {
  /** The mode of copies by such a map. */
  TensorMode mode();

  /** Elements along the innermost dimension. */
  int row();

  /**
   * A box.
   *
   * @param box elements that a copy spans along each dimension
   */
  record Tile(int[] box) implements TensorRegion {
    @Override
    public TensorMode mode() {
      return TensorMode.TILE;
    }

    @Override
    public int row() {
      return box[0];
    }
  }

  /**
   * A column of pixels.
   *
   * @param mode one of the three for columns
   * @param lower least place of a pixel along each dimension of an image, the innermost (W) first
   * @param upper greatest place, from the last pixel of the image
   * @param row channels of each pixel
   * @param pixels how many
   */
  record Column(TensorMode mode, int[] lower, int[] upper, int row, int pixels)
      implements TensorRegion {}
}
