package dev.reprise.graph.autotune;

import dev.reprise.kernels.variant.KernelVariant;
import dev.reprise.kernels.variant.TunableShape;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * What a warm-up chose, and why.
 *
 * @param environment what it holds for
 * @param file the file of choices; empty if none was asked for
 * @param cache what became of the file
 * @param problem why the file is ignored or could not be written; empty if all went well
 * @param outcomes one for each shape, in the order asked for
 * @param nanos time that the warm-up took
 */
public record AutotuneReport(
    TuningEnvironment environment,
    Optional<Path> file,
    CacheState cache,
    String problem,
    List<Outcome> outcomes,
    long nanos) {

  /** Where a choice comes from. */
  public enum Source {
    /** From the file. */
    KEPT,
    /** Measured now. */
    MEASURED,
    /** The standard variant, because time was up. */
    TIME_WAS_UP,
    /** The standard variant, because the shape could not be measured. */
    NOT_TRIED
  }

  /**
   * The choice for a shape.
   *
   * @param shape the shape
   * @param variant what runs on it
   * @param standard the standard variant
   * @param source where the choice comes from
   * @param standardMicros what the standard variant took; 0 if it was never measured
   * @param micros what the chosen one took; 0 if it was never measured
   * @param rejected variants that were dropped because they left other bits
   */
  public record Outcome(
      TunableShape shape,
      KernelVariant variant,
      KernelVariant standard,
      Source source,
      double standardMicros,
      double micros,
      int rejected) {}

  /** Takes a copy of the list. */
  public AutotuneReport {
    outcomes = List.copyOf(outcomes);
  }

  /** How many choices come from somewhere. */
  public long count(Source source) {
    return outcomes.stream().filter(outcome -> outcome.source() == source).count();
  }

  /** How many shapes run another variant than the standard one. */
  public long changed() {
    return outcomes.stream().filter(o -> !o.variant().equals(o.standard())).count();
  }
}
