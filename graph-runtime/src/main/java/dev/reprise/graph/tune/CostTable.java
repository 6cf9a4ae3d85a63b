package dev.reprise.graph.tune;

import dev.reprise.graph.bucket.Bucket;
import dev.reprise.kernels.Attention;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.ToDoubleFunction;

/**
 * Costs interpolated between samples that were measured on a grid of row counts × contexts.
 *
 * <p>Between two samples a cost is linear in each direction; beyond the largest sample it goes on
 * at the slope of the last two, below the smallest it stays. A sample that is less than that of a
 * smaller shape is raised to it: the difference is noise, and a tuner would chase it.
 */
public final class CostTable implements StepCosts {

  /**
   * One measured shape.
   *
   * @param rows rows of the bucket
   * @param context positions of the bucket
   * @param replayMicros see {@link StepCosts#replayMicros}
   * @param liveMicros see {@link StepCosts#liveMicros}; the context stands for the positions
   * @param eagerMicros see {@link StepCosts#eagerMicros}
   * @param captureMillis see {@link StepCosts#captureMillis}
   * @param bytes see {@link StepCosts#bytes}
   * @param splits over how many blocks attention was spread; {@link Bucket#AUTO} if not known
   */
  public record Sample(
      int rows,
      int context,
      double replayMicros,
      double liveMicros,
      double eagerMicros,
      double captureMillis,
      long bytes,
      int splits) {

    /** A sample of which it is not known how attention was spread. */
    public Sample(
        int rows,
        int context,
        double replayMicros,
        double liveMicros,
        double eagerMicros,
        double captureMillis,
        long bytes) {
      this(rows, context, replayMicros, liveMicros, eagerMicros, captureMillis, bytes, Bucket.AUTO);
    }

    /** A sample in which the bucket decides alone how long a replay takes. */
    public Sample(
        int rows,
        int context,
        double replayMicros,
        double eagerMicros,
        double captureMillis,
        long bytes) {
      this(rows, context, replayMicros, 0, eagerMicros, captureMillis, bytes);
    }

    /** Checks that sizes are positive and that costs are finite and not negative. */
    public Sample {
      if (rows < 1 || context < 1) {
        throw new IllegalArgumentException(
            "A cost sample needs at least 1 row and 1 position, not " + rows + " × " + context);
      }
      // Refuses splits that a bucket of this context cannot have.
      new Bucket(rows, context, splits);
      for (double cost :
          new double[] {replayMicros, liveMicros, eagerMicros, captureMillis, bytes}) {
        if (!(cost >= 0 && cost < Double.POSITIVE_INFINITY)) {
          throw new IllegalArgumentException(
              "The cost sample for %d × %d holds %s; costs are finite and not negative"
                  .formatted(rows, context, cost));
        }
      }
    }
  }

  private final List<Sample> samples;
  private final int[] rows;
  private final int[] contexts;
  private final double[][] replay;
  private final double[][] live;
  private final double[][] eager;
  private final double[][] capture;
  private final double[][] bytes;
  private final int[][] splits;

  /**
   * A table from one sample for each pairing of the row counts and contexts that occur.
   *
   * @throws IllegalArgumentException if there is no sample, one pairing is missing or occurs twice
   */
  public CostTable(List<Sample> samples) {
    this.samples = List.copyOf(samples);
    this.rows = axis(samples, Sample::rows);
    this.contexts = axis(samples, Sample::context);
    Map<Bucket, Sample> byShape = new HashMap<>();
    for (Sample sample : samples) {
      Bucket shape = new Bucket(sample.rows, sample.context);
      if (byShape.put(shape, sample) != null) {
        throw new IllegalArgumentException("The cost table holds " + shape + " twice");
      }
    }
    if (samples.isEmpty()) {
      throw new IllegalArgumentException("A cost table needs at least one sample");
    }
    this.replay = grid(byShape, Sample::replayMicros);
    this.live = grid(byShape, Sample::liveMicros);
    this.eager = grid(byShape, Sample::eagerMicros);
    this.capture = grid(byShape, Sample::captureMillis);
    this.bytes = grid(byShape, Sample::bytes);
    this.splits = new int[rows.length][contexts.length];
    samples.forEach(s ->
        splits[Arrays.binarySearch(rows, s.rows)][Arrays.binarySearch(contexts, s.context)] =
            s.splits);
  }

  private static int[] axis(List<Sample> samples, java.util.function.ToIntFunction<Sample> size) {
    TreeSet<Integer> sizes = new TreeSet<>();
    samples.forEach(sample -> sizes.add(size.applyAsInt(sample)));
    return sizes.stream().mapToInt(Integer::intValue).toArray();
  }

  private double[][] grid(Map<Bucket, Sample> byShape, ToDoubleFunction<Sample> cost) {
    double[][] grid = new double[rows.length][contexts.length];
    for (int r = 0; r < rows.length; r++) {
      for (int c = 0; c < contexts.length; c++) {
        Sample sample = byShape.get(new Bucket(rows[r], contexts[c]));
        if (sample == null) {
          throw new IllegalArgumentException(
              "The cost table has no sample for %d × %d; it needs one for each of the rows %s × contexts %s"
                  .formatted(
                      rows[r], contexts[c], Arrays.toString(rows), Arrays.toString(contexts)));
        }
        double above = r == 0 ? 0 : grid[r - 1][c];
        double left = c == 0 ? 0 : grid[r][c - 1];
        grid[r][c] = Math.max(cost.applyAsDouble(sample), Math.max(above, left));
      }
    }
    return grid;
  }

  /** What was measured, in the order given. */
  public List<Sample> samples() {
    return samples;
  }

  @Override
  public double replayMicros(Bucket bucket) {
    return at(replay, bucket.rows(), bucket.context());
  }

  @Override
  public double liveMicros(int liveRows, int positions) {
    return at(live, liveRows, positions);
  }

  @Override
  public double eagerMicros(int liveRows, int positions) {
    return at(eager, liveRows, positions);
  }

  /** Those of the smallest sample that holds the bucket, as far as its context has segments. */
  @Override
  public int splits(Bucket bucket) {
    int measured = splits[holding(rows, bucket.rows())][holding(contexts, bucket.context())];
    return Math.min(measured, Attention.segments(bucket.context()));
  }

  /** The index of the smallest size that is enough, or of the largest. */
  private static int holding(int[] sizes, int wanted) {
    int at = Arrays.binarySearch(sizes, wanted);
    return at >= 0 ? at : Math.min(-at - 1, sizes.length - 1);
  }

  @Override
  public double captureMillis(Bucket bucket) {
    return at(capture, bucket.rows(), bucket.context());
  }

  @Override
  public long bytes(Bucket bucket) {
    return Math.round(at(bytes, bucket.rows(), bucket.context()));
  }

  private double at(double[][] grid, int wantedRows, int wantedContext) {
    int r = lower(rows, wantedRows);
    double low = along(grid[r], wantedContext);
    if (rows.length == 1) {
      return low;
    }
    double high = along(grid[r + 1], wantedContext);
    return between(low, high, rows[r], rows[r + 1], wantedRows);
  }

  private double along(double[] line, int wantedContext) {
    int c = lower(contexts, wantedContext);
    return contexts.length == 1
        ? line[0]
        : between(line[c], line[c + 1], contexts[c], contexts[c + 1], wantedContext);
  }

  /** Below {@code from} the value stays; beyond {@code to} it goes on at the same slope. */
  private static double between(double low, double high, int from, int to, int wanted) {
    double share = Math.max(0, (double) (wanted - from) / (to - from));
    return low + share * (high - low);
  }

  /** The index of the lower end of the interval to use; the last but one at most. */
  private static int lower(int[] sizes, int wanted) {
    int at = Arrays.binarySearch(sizes, wanted);
    int index = at >= 0 ? at : -at - 2;
    return Math.clamp(index, 0, Math.max(0, sizes.length - 2));
  }
}
