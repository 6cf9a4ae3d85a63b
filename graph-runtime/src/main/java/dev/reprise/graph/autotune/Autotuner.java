package dev.reprise.graph.autotune;

import dev.reprise.graph.autotune.AutotuneReport.Outcome;
import dev.reprise.graph.autotune.AutotuneReport.Source;
import dev.reprise.graph.bucket.Bucket;
import dev.reprise.graph.decode.DecodeModel;
import dev.reprise.graph.decode.DecodeOptions;
import dev.reprise.graph.decode.StepRunner;
import dev.reprise.kernels.Kernels;
import dev.reprise.kernels.variant.KernelVariant;
import dev.reprise.kernels.variant.TunableShape;
import dev.reprise.kernels.variant.VariantTable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Chooses kernel variants before the first step runs. Shapes found in the file of this device,
 * driver and kernels take what it says; the others are measured, all variants of a shape in turns,
 * until time is up. A variant that leaves other bits than the standard one is never chosen.
 *
 * <p>Nothing is measured later: a shape that was not warmed up takes its standard variant at once.
 */
public final class Autotuner {

  private static final Logger LOG = LoggerFactory.getLogger(Autotuner.class);

  private final TuningEnvironment environment;
  private final AutotuneOptions options;
  private final VariantSource standards;
  private final Trial.Bench bench;
  private final LongSupplier clock;

  /** The variants of a shape, the standard one first, without making it ready. */
  @FunctionalInterface
  interface VariantSource {
    List<? extends KernelVariant> of(TunableShape shape);
  }

  Autotuner(
      TuningEnvironment environment,
      AutotuneOptions options,
      VariantSource standards,
      Trial.Bench bench,
      LongSupplier clock) {
    this.environment = environment;
    this.options = options;
    this.standards = standards;
    this.bench = bench;
    this.clock = clock;
  }

  /**
   * Chooses the variants for the steps of a model in some buckets, and has its kernels use them.
   * One thread; allocates device memory for a while; not while a stream captures.
   *
   * @throws IllegalStateException when the kernels' variants are in use already: warm up before the
   *     first step is prepared
   */
  public static AutotuneReport warmUp(
      DecodeModel model, DecodeOptions decode, AutotuneOptions options) {
    return warmUp(model.kernels(), shapes(model, decode), options);
  }

  /** Chooses the variants for shapes, and has kernels use them, as above. */
  public static AutotuneReport warmUp(
      Kernels kernels, Collection<TunableShape> shapes, AutotuneOptions options) {
    try (KernelBench bench = new KernelBench(kernels, options.maxBytes())) {
      Autotuner tuner =
          new Autotuner(
              TuningEnvironment.of(kernels), options, bench::variants, bench, System::nanoTime);
      AutotuneReport report = tuner.run(shapes);
      kernels.use(table(report));
      LOG.info(
          "Kernel variants: {} shapes, {} kept, {} measured, {} left at the standard; {} run"
              + " another than the standard one",
          report.outcomes().size(),
          report.count(Source.KEPT),
          report.count(Source.MEASURED),
          report.count(Source.TIME_WAS_UP) + report.count(Source.NOT_TRIED),
          report.changed());
      return report;
    }
  }

  /** The shapes that the steps of a model have: replayed buckets, and chunks of prompts. */
  public static Set<TunableShape> shapes(DecodeModel model, DecodeOptions decode) {
    Set<TunableShape> shapes = new LinkedHashSet<>();
    for (Bucket bucket : decode.buckets().largestFirst()) {
      shapes.addAll(model.tunableShapes(bucket, bucket.rows()));
    }
    for (Bucket bucket : StepRunner.prefillBuckets(decode).largestFirst()) {
      shapes.addAll(model.tunableShapes(bucket, 1));
    }
    return shapes;
  }

  private static VariantTable table(AutotuneReport report) {
    Map<TunableShape, KernelVariant> choices = new LinkedHashMap<>();
    for (Outcome outcome : report.outcomes()) {
      choices.put(outcome.shape(), outcome.variant());
    }
    VariantTable table = VariantTable.of(choices);
    return report.problem().isEmpty() ? table : table.withProblem(report.problem());
  }

  AutotuneReport run(Collection<TunableShape> shapes) {
    long start = clock.getAsLong();
    Optional<VariantCache> cache =
        options.folder().map(folder -> VariantCache.open(folder, environment));
    Map<TunableShape, Outcome> kept = cache.map(c -> kept(c, shapes)).orElse(Map.of());
    List<Outcome> outcomes = new ArrayList<>();
    List<CachedChoice> fresh = new ArrayList<>();
    for (TunableShape shape : new LinkedHashSet<>(shapes)) {
      Outcome known = kept.get(shape);
      if (known != null) {
        outcomes.add(known);
        continue;
      }
      Outcome outcome = late(start) ? standard(shape, Source.TIME_WAS_UP) : measure(shape, start);
      outcomes.add(outcome);
      if (outcome.source() == Source.MEASURED) {
        fresh.add(
            new CachedChoice(
                CachedChoice.Key.of(shape),
                outcome.variant().text(),
                outcome.standardMicros(),
                outcome.micros()));
      }
    }
    cache.ifPresent(c -> c.add(fresh));
    return new AutotuneReport(
        environment,
        cache.map(VariantCache::file),
        cache.map(VariantCache::state).orElse(CacheState.OFF),
        cache.map(VariantCache::reason).orElse(""),
        outcomes,
        clock.getAsLong() - start);
  }

  /** What a file has for shapes; nothing, if it names a variant that there is not. */
  private Map<TunableShape, Outcome> kept(VariantCache cache, Collection<TunableShape> shapes) {
    Map<CachedChoice.Key, CachedChoice> choices = cache.choices();
    Map<TunableShape, Outcome> kept = new LinkedHashMap<>();
    for (TunableShape shape : shapes) {
      CachedChoice choice = choices.get(CachedChoice.Key.of(shape));
      if (choice == null) {
        continue;
      }
      List<? extends KernelVariant> variants = standards.of(shape);
      Optional<? extends KernelVariant> variant =
          variants.stream().filter(v -> v.text().equals(choice.variant())).findFirst();
      if (variant.isEmpty()) {
        cache.ignore(
            CacheState.CORRUPT,
            "%s: \"%s\" is no variant of %s %s"
                .formatted(cache.file(), choice.variant(), shape.operation(), shape.sizes()));
        return Map.of();
      }
      kept.put(
          shape,
          new Outcome(
              shape,
              variant.get(),
              variants.getFirst(),
              Source.KEPT,
              choice.standardMicros(),
              choice.micros(),
              0));
    }
    return kept;
  }

  private Outcome standard(TunableShape shape, Source source) {
    KernelVariant standard = standards.of(shape).getFirst();
    return new Outcome(shape, standard, standard, source, 0, 0, 0);
  }

  private boolean late(long start) {
    return clock.getAsLong() - start >= options.budget().toNanos();
  }

  private Outcome measure(TunableShape shape, long start) {
    try (Trial trial = bench.open(shape)) {
      return measure(shape, trial, start);
    } catch (Trial.NotTriedException e) {
      LOG.warn(
          "{} {} takes its standard variant: {}", shape.operation(), shape.sizes(), e.getMessage());
      return standard(shape, Source.NOT_TRIED);
    }
  }

  private Outcome measure(TunableShape shape, Trial trial, long start) {
    List<KernelVariant> variants = trial.variants();
    List<Integer> sound = new ArrayList<>();
    for (int v = 0; v < variants.size(); v++) {
      if (trial.check(v)) {
        sound.add(v);
      } else {
        LOG.warn(
            "Variant {} of {} {} leaves other bits than the standard one and is not used",
            variants.get(v).text(),
            shape.operation(),
            shape.sizes());
      }
    }
    Map<Integer, List<Double>> times = new LinkedHashMap<>();
    // When time is up in the middle of a shape, the rounds so far must do.
    for (int round = 0; round == 0 || (round < options.rounds() && !late(start)); round++) {
      for (int v : round % 2 == 0 ? sound : sound.reversed()) {
        times.computeIfAbsent(v, key -> new ArrayList<>()).add(trial.micros(v));
      }
    }
    double standard = median(times.getOrDefault(0, List.of()));
    int best = 0;
    double least = standard * (1 - options.leastGain());
    for (int v : sound) {
      double micros = median(times.getOrDefault(v, List.of()));
      if (micros < least) {
        best = v;
        least = micros;
      }
    }
    return new Outcome(
        shape,
        variants.get(best),
        variants.getFirst(),
        Source.MEASURED,
        standard,
        best == 0 ? standard : least,
        variants.size() - sound.size());
  }

  private static double median(List<Double> values) {
    List<Double> sorted = values.stream().sorted().toList();
    int middle = sorted.size() / 2;
    return sorted.size() % 2 == 1
        ? sorted.get(middle)
        : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
  }
}
