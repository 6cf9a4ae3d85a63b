package dev.reprise.cli.bench;

import dev.reprise.cli.measure.MachineFacts;
import dev.reprise.cli.measure.Table;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * What a benchmark found.
 *
 * @param name the benchmark
 * @param version of Reprise
 * @param started when it began
 * @param seconds how long it took
 * @param machine what it ran on
 * @param model the model
 * @param loadBefore load of the host at the start; NaN if it is hidden
 * @param loadAfter load of the host at the end
 * @param settings what was asked for, by the names of JSON
 * @param headlines the results in short
 * @param tables the results
 */
public record BenchReport(
    String name,
    String version,
    Instant started,
    double seconds,
    MachineFacts machine,
    String model,
    double loadBefore,
    double loadAfter,
    Map<String, Object> settings,
    List<String> headlines,
    List<Table> tables) {}
