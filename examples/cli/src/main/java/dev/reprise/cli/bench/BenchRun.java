package dev.reprise.cli.bench;

import dev.reprise.bindings.DriverLibrary;
import dev.reprise.cli.measure.GcPauses;
import dev.reprise.cli.measure.MachineFacts;
import dev.reprise.cli.measure.OpenModel;
import dev.reprise.cli.measure.Table;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What all benchmarks have in common: a driver, a model, the clock, and what the host did. */
final class BenchRun {

  /** What a benchmark measures. */
  interface Body {
    Findings measure(OpenModel model);
  }

  /** What it found. */
  record Findings(List<String> headlines, List<Table> tables) {}

  private BenchRun() {}

  static BenchReport run(
      String name,
      String version,
      Clock clock,
      Optional<String> driver,
      Optional<Path> gguf,
      Map<String, Object> settings,
      Body body) {
    driver.ifPresent(DriverLibrary::use);
    Instant started = clock.instant().truncatedTo(ChronoUnit.SECONDS);
    double loadBefore = MachineFacts.load();
    try (OpenModel model = OpenModel.open(gguf)) {
      GcPauses pauses = new GcPauses();
      long start = System.nanoTime();
      Findings found = body.measure(model);
      double seconds = (System.nanoTime() - start) / 1e9;
      List<Table> tables = new ArrayList<>(found.tables());
      tables.add(pauses.table());
      return new BenchReport(
          name,
          version,
          started,
          seconds,
          MachineFacts.of(model.device()),
          "%s, %,d parameters, %s weights"
              .formatted(
                  model.model().info().name(),
                  model.model().info().parameters(),
                  model.model().info().weights()),
          loadBefore,
          MachineFacts.load(),
          settings,
          found.headlines(),
          tables);
    }
  }
}
