package dev.reprise.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.graph.bucket.BucketFile;
import dev.reprise.graph.tune.CostFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TuneMeasureTest {

  @TempDir private Path folder;

  private CommandRun measure(Path costs, String... arguments) {
    return measureShapes(costs, "1-2", "16,64", arguments);
  }

  private CommandRun measureShapes(Path costs, String rows, String contexts, String... arguments) {
    List<String> all =
        new ArrayList<>(
            List.of(
                "tune",
                "--measure",
                costs.toString(),
                "--measure-rows",
                rows,
                "--measure-contexts",
                contexts,
                "--measure-rounds",
                "1"));
    all.addAll(Arrays.asList(arguments));
    return CommandRun.withoutEngine(all.toArray(String[]::new));
  }

  @Test
  void withoutStepsItOnlyMeasuresWhatCostsReads() {
    Path costs = folder.resolve("costs.json");
    CommandRun run = measure(costs);
    assertThat(run.code()).as(run.err()).isZero();
    assertThat(run.err()).contains("reprise tune: NO GPU TIMES: ");
    assertThat(run.out())
        .startsWith("NO GPU TIMES: ")
        .containsPattern("rows +context +replay us +live us +eager us +capture ms +bytes")
        .endsWith("The costs are in " + costs + "." + System.lineSeparator())
        .doesNotContain("tuned");
    CostFile file = CostFile.read(costs);
    assertThat(file.measured()).isTrue();
    assertThat(file.softwareDevice()).isTrue();
    assertThat(file.model()).isEqualTo("Tiny Stories");
    assertThat(file.method())
        .contains("medians of 3 passes of 1 rounds", Runtime.version().toString(), "load");
    assertThat(file.table().samples())
        .hasSize(4)
        .allSatisfy(sample -> {
          assertThat(sample.replayMicros()).isPositive();
          assertThat(sample.eagerMicros()).isPositive();
          assertThat(sample.captureMillis()).isPositive();
          assertThat(sample.bytes()).isPositive();
        });
  }

  /** Of one shape only: what is asked is how variants are chosen and kept. */
  private CommandRun chooseVariants(String costs, Path kernels) {
    return measureShapes(folder.resolve(costs), "1", "16", "--kernels", kernels.toString());
  }

  @Test
  void kernelVariantsAreChosenFirstAndKeptForTheNextRun() throws IOException {
    Path kernels = folder.resolve("variants");
    CommandRun first = chooseVariants("a.json", kernels);
    assertThat(first.code()).as(first.err()).isZero();
    assertThat(first.out())
        .containsPattern("kernel variants: [0-9]+ shapes, 0 kept, [1-9][0-9]* measured, ");
    Path file;
    try (Stream<Path> files = Files.list(kernels)) {
      file = files.findFirst().orElseThrow();
    }
    CommandRun second = chooseVariants("b.json", kernels);
    assertThat(second.out())
        .containsPattern("kernel variants: [0-9]+ shapes, [1-9][0-9]* kept, ")
        .doesNotContain("kept variants: ");
    assertThat(CostFile.read(folder.resolve("b.json")).method()).contains("chosen kernel variants");
    Files.writeString(file, "{");
    CommandRun third = chooseVariants("c.json", kernels);
    assertThat(third.code()).isZero();
    assertThat(third.out()).contains("0 kept", "kept variants: " + file + ":1: this is not JSON");
    assertThat(Files.readString(file)).isEqualTo("{");
  }

  @Test
  void withStepsItTunesAtOnceByWhatItMeasured() {
    Path costs = folder.resolve("costs.json");
    Path buckets = folder.resolve("buckets.json");
    CommandRun run =
        measure(
            costs,
            "--workload",
            "steady",
            "--requests",
            "20",
            "--prompt",
            "8",
            "--output",
            "20",
            "--max-rows",
            "2",
            "--out",
            buckets.toString());
    assertThat(run.code()).as(run.err()).isZero();
    assertThat(run.out())
        .contains("costs     measured: " + costs + ": reprise tune ")
        .contains("measured on a software GPU: they say nothing about a GPU");
    assertThat(BucketFile.read(buckets).buckets().largestFirst())
        .as("splits that were measured, of contexts that have one segment")
        .allSatisfy(bucket -> assertThat(bucket.splits()).isEqualTo(1));
    assertThat(BucketFile.read(buckets).evidence())
        .hasValueSatisfying(evidence -> {
          assertThat(evidence.costs().measured()).isTrue();
          // The longest context that was measured bounds a workload that is made up.
          assertThat(evidence.workload().maxPositions()).isLessThanOrEqualTo(64);
        });
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--measure c.json --costs d.json | --measure and --costs exclude each other; keep one",
        "--measure no/such/c.json | --measure no/such/c.json: there is no such folder",
        "--measure c.json --measure-rows 0 | --measure-rows must be numbers such as 16,64 or 1-4 or"
            + " 16-64+16 or 1-8*2; in \"0\" numbers go from 1 to 1024",
        "--measure c.json --measure-rounds 0 | --measure-rounds must be 1 to 10000; it is 0",
        "--measure c.json --out b.json | --out, --plot and --explain need steps; give --trace or"
            + " --workload too",
        "--measure --driver cud | --driver must be auto, cuda, software or the path of a library; it is"
            + " \"cud\", did you mean cuda?",
        "--workload ramp --kernels k | --kernels chooses variants before costs are measured; add"
            + " --measure, or leave it out",
        "--workload ramp --driver software | --driver and --model choose what is measured; add"
            + " --measure, or leave them out",
      })
  void badUsageIsOneLineAndMeasuresNothing(String arguments, String message) {
    CommandRun run = CommandRun.withoutEngine(("tune " + arguments).split(" "));
    assertThat(run.err())
        .isEqualTo(
            "reprise tune: " + message + " (see \"reprise tune --help\")" + System.lineSeparator());
    assertThat(run.code()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
    assertThat(Files.exists(Path.of("c.json"))).isFalse();
  }
}
