package dev.reprise.graph.autotune;

import dev.reprise.cuda.CudaException;
import dev.reprise.kernels.Kernels;
import dev.reprise.kernels.variant.KernelVariant;
import dev.reprise.kernels.variant.TunableShape;
import java.util.List;

/** Makes shapes ready on the device that kernels are loaded on. */
final class KernelBench implements Trial.Bench, AutoCloseable {

  private static final String OUT_OF_MEMORY = "CUDA_ERROR_OUT_OF_MEMORY";

  private final Kernels kernels;
  private final long maxBytes;
  private final TrialArrays arrays;

  KernelBench(Kernels kernels, long maxBytes) {
    this.kernels = kernels;
    this.maxBytes = maxBytes;
    this.arrays = new TrialArrays(kernels.device());
  }

  /** The variants of a shape; the standard one first. */
  List<? extends KernelVariant> variants(TunableShape shape) {
    return switch (shape) {
      case TunableShape.Product product -> kernels.matMul().variants(product);
      case TunableShape.Attention attention -> kernels.attention().variants(attention);
      case TunableShape.Gate gate -> kernels.activation().variants(gate);
    };
  }

  @Override
  public Trial open(TunableShape shape) throws Trial.NotTriedException {
    Operands operands =
        switch (shape) {
          case TunableShape.Product product -> new ProductOperands(product);
          case TunableShape.Attention attention -> new AttentionOperands(attention);
          case TunableShape.Gate gate -> new GateOperands(gate);
        };
    if (operands.bytes() > maxBytes) {
      throw new Trial.NotTriedException(
          "its operands take %d bytes, and %d are allowed".formatted(operands.bytes(), maxBytes));
    }
    try {
      return new KernelTrial(arrays, List.copyOf(variants(shape)), operands.ready(kernels, arrays));
    } catch (CudaException e) {
      arrays.free();
      if (e.name().equals(OUT_OF_MEMORY)) {
        throw new Trial.NotTriedException(
            "the device has no room for its operands: " + e.getMessage());
      }
      throw e;
    }
  }

  @Override
  public void close() {
    arrays.close();
  }
}
