package dev.reprise.graph.autotune;

import dev.reprise.cuda.PreparedLaunch;
import dev.reprise.kernels.Kernels;
import dev.reprise.kernels.Span;
import dev.reprise.kernels.variant.KernelVariant;
import java.util.List;
import java.util.function.Function;

/** The operands of a shape. */
interface Operands {

  /** Device memory that they take. */
  long bytes();

  /** Allocates and fills them. */
  Ready ready(Kernels kernels, TrialArrays arrays);

  /**
   * Operands on the device.
   *
   * @param result what a launch writes
   * @param launches the launches of a variant
   */
  record Ready(Span result, Function<KernelVariant, List<PreparedLaunch>> launches) {}
}
