package dev.reprise.graph.autotune;

import dev.reprise.kernels.Kernels;
import dev.reprise.kernels.Span;
import dev.reprise.kernels.WeightType;
import dev.reprise.kernels.contract.ElementType;
import dev.reprise.kernels.variant.KernelVariant;
import dev.reprise.kernels.variant.TunableShape;
import java.util.List;

/** Weights and activations of a product. */
record ProductOperands(TunableShape.Product shape) implements Operands {

  private long weights() {
    return (long) shape.out() * shape.in() * shape.weights().bytes();
  }

  private long inputs() {
    return (long) shape.rows() * shape.in() * Float.BYTES;
  }

  private long outputs() {
    return (long) shape.rows() * shape.out() * Float.BYTES;
  }

  @Override
  public long bytes() {
    return weights() + inputs() + outputs();
  }

  @Override
  public Ready ready(Kernels kernels, TrialArrays arrays) {
    WeightType type = shape.weights() == ElementType.F16 ? WeightType.F16 : WeightType.F32;
    Span w = arrays.random(weights(), type == WeightType.F16);
    Span x = arrays.random(inputs(), false);
    Span y = arrays.allocate(outputs());
    return new Ready(
        y,
        variant ->
            List.of(
                kernels
                    .matMul()
                    .multiply(
                        (KernelVariant.Product) variant,
                        type,
                        w,
                        x,
                        y,
                        shape.rows(),
                        shape.in(),
                        shape.out())));
  }
}
