package dev.reprise.graph.autotune;

import dev.reprise.kernels.Kernels;
import dev.reprise.kernels.Span;
import dev.reprise.kernels.variant.KernelVariant;
import dev.reprise.kernels.variant.TunableShape;
import java.util.List;

/** Gate and up of SwiGLU. */
record GateOperands(TunableShape.Gate shape) implements Operands {

  private long outputs() {
    return (long) shape.rows() * shape.ff() * Float.BYTES;
  }

  @Override
  public long bytes() {
    return 3 * outputs();
  }

  @Override
  public Ready ready(Kernels kernels, TrialArrays arrays) {
    Span gateUp = arrays.random(2 * outputs(), false);
    Span out = arrays.allocate(outputs());
    return new Ready(
        out,
        variant ->
            List.of(
                kernels
                    .activation()
                    .swiglu((KernelVariant.Gate) variant, gateUp, out, shape.rows(), shape.ff())));
  }
}
