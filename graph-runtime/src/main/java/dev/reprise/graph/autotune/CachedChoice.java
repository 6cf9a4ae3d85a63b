package dev.reprise.graph.autotune;

import dev.reprise.kernels.variant.TunableShape;

/**
 * A choice as it is kept.
 *
 * @param key the shape
 * @param variant text of the variant
 * @param standardMicros what the standard variant took when it was measured
 * @param micros what the chosen one took
 */
record CachedChoice(Key key, String variant, double standardMicros, double micros) {

  /** A shape in words, by all that decides the time of a kernel. */
  record Key(String operation, String dtype, String shape, String strides, String mask) {

    static Key of(TunableShape shape) {
      return new Key(
          shape.operation(), shape.dtype(), shape.sizes(), shape.strides(), shape.mask());
    }
  }
}
