package dev.reprise.graph.autotune;

import dev.reprise.cuda.PreparedLaunch;
import dev.reprise.kernels.variant.KernelVariant;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The variants of one shape, prepared on its operands. */
final class KernelTrial implements Trial {

  private static final double NANOS_PER_MICRO = 1e3;

  /** A sample has launches for about so long, so that one launch's overhead is not all of it. */
  private static final long SAMPLE_NANOS = 200_000;

  private static final int MOST_REPEATS = 50;

  private final TrialArrays arrays;
  private final List<KernelVariant> variants;
  private final Operands.Ready operands;
  private final List<List<PreparedLaunch>> launches;
  private int repeats = 1;
  private byte @Nullable [] expected;

  KernelTrial(TrialArrays arrays, List<KernelVariant> variants, Operands.Ready operands) {
    this.arrays = arrays;
    this.variants = variants;
    this.operands = operands;
    this.launches = variants.stream().map(operands.launches()).toList();
  }

  @Override
  public List<KernelVariant> variants() {
    return variants;
  }

  @Override
  public boolean check(int variant) {
    arrays.spoil(operands.result());
    run(variant, 1);
    byte[] left = arrays.read(operands.result());
    if (expected == null) {
      expected = left;
      long nanos = Math.max(1, run(variant, 1));
      repeats = (int) Math.clamp(SAMPLE_NANOS / nanos, 1, MOST_REPEATS);
    }
    return Arrays.equals(left, expected);
  }

  @Override
  public double micros(int variant) {
    return run(variant, repeats) / NANOS_PER_MICRO / repeats;
  }

  private long run(int variant, int times) {
    List<PreparedLaunch> all = launches.get(variant);
    arrays.stream().synchronize();
    long start = System.nanoTime();
    for (int i = 0; i < times; i++) {
      for (int launch = 0; launch < all.size(); launch++) {
        arrays.stream().launch(all.get(launch));
      }
    }
    arrays.stream().synchronize();
    return System.nanoTime() - start;
  }

  @Override
  public void close() {
    arrays.free();
  }
}
