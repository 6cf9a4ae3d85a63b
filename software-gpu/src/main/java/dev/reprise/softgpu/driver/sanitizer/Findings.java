package dev.reprise.softgpu.driver.sanitizer;

import dev.reprise.softgpu.sanitizer.Report;
import dev.reprise.softgpu.sanitizer.ReportKind;
import dev.reprise.softgpu.sanitizer.Sanitizer;
import dev.reprise.softgpu.sanitizer.SanitizerOptions;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The reports of one driver. Thread-safe. */
public final class Findings implements Sanitizer {

  private static final Logger LOG = LoggerFactory.getLogger("dev.reprise.softgpu.sanitizer");

  private final SanitizerOptions options;
  private final List<Report> kept = new ArrayList<>();
  private final Set<Object> known = new HashSet<>();
  private final Map<ReportKind, Long> counts = new EnumMap<>(ReportKind.class);
  private final List<Consumer<Report>> listeners = new CopyOnWriteArrayList<>();
  private long count;
  private volatile Supplier<OptionalLong> seed = OptionalLong::empty;

  /** None yet. */
  public Findings(SanitizerOptions options) {
    this.options = options;
    if (options.exitStatus() != 0) {
      Runtime.getRuntime().addShutdownHook(new Thread(this::endWithStatus, "softgpu-sanitizer"));
    }
  }

  private void endWithStatus() {
    if (count() > 0) {
      LOG.error(
          "The sanitizer made {} reports; the process ends with {}.",
          count(),
          options.exitStatus());
      Runtime.getRuntime().halt(options.exitStatus());
    }
  }

  /**
   * True the first time that a mistake of this kind is found at this place; the caller then makes
   * the report.
   *
   * @param place what tells it from others of its kind
   */
  synchronized boolean first(ReportKind kind, Object place) {
    return options.wants(kind) && known.add(List.of(kind, place));
  }

  /** Where the seed of a simulation under way is to be had. */
  public void seed(Supplier<OptionalLong> source) {
    seed = source;
  }

  /** Takes a report. */
  void add(Report found) {
    Report report = found.under(seed.get());
    boolean within;
    synchronized (this) {
      count++;
      counts.merge(report.kind(), 1L, Long::sum);
      within = kept.size() < options.limit();
      if (within) {
        kept.add(report);
      } else if (count == options.limit() + 1L) {
        LOG.warn("There are more than {} reports; those to come are only counted.", kept.size());
      }
    }
    if (within) {
      // The driver logs a fault with all that is known here but the stacks.
      if (options.stacks()) {
        LOG.error("{}", report.text());
      }
      listeners.forEach(listener -> listener.accept(report));
    }
  }

  @Override
  public SanitizerOptions options() {
    return options;
  }

  @Override
  public synchronized List<Report> reports() {
    return List.copyOf(kept);
  }

  @Override
  public synchronized long count() {
    return count;
  }

  @Override
  public synchronized long count(ReportKind kind) {
    return counts.getOrDefault(kind, 0L);
  }

  @Override
  public AutoCloseable listen(Consumer<Report> listener) {
    listeners.add(listener);
    return () -> listeners.remove(listener);
  }

  @Override
  public synchronized void clear() {
    kept.clear();
    known.clear();
    counts.clear();
    count = 0;
  }
}
