package dev.reprise.graph.autotune;

import dev.reprise.kernels.variant.KernelVariant;
import dev.reprise.kernels.variant.TunableShape;
import java.util.List;

/** One shape made ready for timing its variants, which are known by their index. */
interface Trial extends AutoCloseable {

  /** The variants; the standard one first. */
  List<KernelVariant> variants();

  /**
   * Runs a variant once, untimed.
   *
   * @return whether it left the bits that the standard variant, which must have run before, left
   */
  boolean check(int variant);

  /** Microseconds of one run of a variant. */
  double micros(int variant);

  @Override
  void close();

  /** Makes shapes ready. */
  @FunctionalInterface
  interface Bench {

    /**
     * Makes a shape ready.
     *
     * @throws NotTriedException when that cannot be done here
     */
    Trial open(TunableShape shape) throws NotTriedException;
  }

  /** A shape cannot be measured here; the message says why. */
  final class NotTriedException extends Exception {

    private static final long serialVersionUID = 1;

    NotTriedException(String message) {
      super(message);
    }
  }
}
