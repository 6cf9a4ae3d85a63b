package dev.reprise.graph.autotune;

import dev.reprise.kernels.variant.KernelVariant;
import dev.reprise.kernels.variant.TunableShape;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;

/** Times that a test makes up: variant {@code i} of a shape is {@code splits=i+1}. */
final class FakeBench implements Trial.Bench {

  /** Microseconds of each variant, by shape; later samples of a variant take the next row. */
  final Map<TunableShape, double[][]> times = new LinkedHashMap<>();

  final Set<Integer> wrongBits = new HashSet<>();
  final List<TunableShape> opened = new ArrayList<>();
  final List<Integer> order = new ArrayList<>();
  int open;
  long clock;

  FakeBench with(TunableShape shape, double[]... samples) {
    times.put(shape, samples);
    return this;
  }

  List<KernelVariant> variants(TunableShape shape) {
    double[][] samples = times.get(shape);
    int count = samples == null ? 2 : samples[0].length;
    return IntStream.rangeClosed(1, count)
        .<KernelVariant>mapToObj(KernelVariant.Attention::new)
        .toList();
  }

  @Override
  public Trial open(TunableShape shape) throws Trial.NotTriedException {
    double[][] samples = times.get(shape);
    if (samples == null) {
      throw new Trial.NotTriedException("planted");
    }
    opened.add(shape);
    open++;
    int[] taken = new int[samples[0].length];
    return new Trial() {
      @Override
      public List<KernelVariant> variants() {
        return FakeBench.this.variants(shape);
      }

      @Override
      public boolean check(int variant) {
        return !wrongBits.contains(variant);
      }

      @Override
      public double micros(int variant) {
        order.add(variant);
        double micros = Objects.requireNonNull(samples)[taken[variant]++ % samples.length][variant];
        clock += (long) (1000 * micros);
        return micros;
      }

      @Override
      public void close() {
        open--;
      }
    };
  }

  /** A shape that differs from others by its context. */
  static TunableShape shape(int context) {
    return new TunableShape.Attention(1, 2, 1, 32, 16, context);
  }
}
