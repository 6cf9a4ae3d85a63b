package dev.reprise.cli.tune;

import dev.reprise.graph.bucket.Bucket;
import dev.reprise.graph.tune.SyntheticWorkload;
import dev.reprise.graph.tune.TunerLimits;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What is to be tuned. Valid once it exists: what is wrong gives an {@link
 * IllegalArgumentException} that names the flag, the value and what would do.
 *
 * @param workload where the steps come from
 * @param costs a cost file, or {@code assume:DEVICE:MODEL}
 * @param limits what the set may take
 * @param maxRows the most rows of a step; empty for 256, or those of recorded steps
 * @param maxContext the longest context; empty for 8192, or that of recorded steps
 * @param explain a bucket to explain
 */
public record TuneOptions(
    Workload workload,
    String costs,
    TunerLimits limits,
    OptionalInt maxRows,
    OptionalInt maxContext,
    Optional<Bucket> explain) {

  /** Where the steps come from. */
  public sealed interface Workload {}

  /**
   * A recorded trace.
   *
   * @param file its JSON lines
   * @param prefillMicros time that decoding stands still for each prompt token
   */
  public record Trace(Path file, double prefillMicros) implements Workload {

    /** Checks the time. */
    public Trace {
      checkPrefill(prefillMicros);
    }
  }

  /**
   * A workload made from a seed.
   *
   * @param kind its kind
   * @param requests how many
   * @param rate requests a second
   * @param prompt mean tokens of a prompt
   * @param output mean tokens of an output
   * @param seed what the draws depend on
   * @param prefillMicros time that decoding stands still for each prompt token
   */
  public record Synthetic(
      SyntheticWorkload kind,
      int requests,
      double rate,
      int prompt,
      int output,
      long seed,
      double prefillMicros)
      implements Workload {

    /** Checks the ranges. */
    public Synthetic {
      atLeastOne("--requests", requests, 10_000_000);
      atLeastOne("--prompt", prompt, 1_000_000);
      atLeastOne("--output", output, 1_000_000);
      if (!(rate > 0 && rate <= 1e9)) {
        throw new IllegalArgumentException(
            "--rate must be above 0 and at most 1e9 requests a second, such as 50; it is " + rate);
      }
      checkPrefill(prefillMicros);
    }
  }

  /** Checks the ranges. */
  public TuneOptions {
    maxRows.ifPresent(rows -> atLeastOne("--max-rows", rows, 65_536));
    maxContext.ifPresent(context -> {
      if (context < 2) {
        throw new IllegalArgumentException(
            "--max-context must be 2 or more, such as 8192; it is " + context);
      }
    });
  }

  private static void checkPrefill(double micros) {
    if (!(micros >= 0 && micros < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException(
          "--prefill-us must be 0 or more microseconds, such as 20; it is " + micros);
    }
  }

  private static void atLeastOne(String flag, int value, int most) {
    if (value < 1 || value > most) {
      throw new IllegalArgumentException(
          "%s must be 1 to %d; it is %d".formatted(flag, most, value));
    }
  }
}
