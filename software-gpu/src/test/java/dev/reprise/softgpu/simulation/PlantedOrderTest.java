package dev.reprise.softgpu.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.softgpu.driver.simulation.Simulator;
import dev.reprise.softgpu.sanitizer.SanitizedProgram;
import dev.reprise.softgpu.sanitizer.SanitizerLevel;
import dev.reprise.softgpu.sanitizer.SanitizerOptions;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Trying seeds finds what lacks an order, and only that; repeating a seed repeats what it did. */
class PlantedOrderTest {

  private static final int SEEDS = 12;
  private static final SanitizerOptions QUIET =
      new SanitizerOptions(SanitizerLevel.OFF, Set.of(), 1, 0);

  static List<String> names() {
    return OrderedPrograms.names();
  }

  private static OrderedPrograms.Pair pair(String name) {
    return Objects.requireNonNull(OrderedPrograms.pairs().get(name));
  }

  /** What a run gave, and the order in which things went. */
  private record Run(List<Integer> result, List<String> order) {}

  private static Run run(Function<SanitizedProgram, int[]> body, long seed, int workers) {
    Simulator simulator = new Simulator(60_000);
    try (SimulationSession session = simulator.begin(seed)) {
      SanitizedProgram program = new SanitizedProgram(QUIET, simulator, workers);
      int[] result = body.apply(program);
      program.close();
      return new Run(Arrays.stream(result).boxed().toList(), session.order());
    }
  }

  private static List<Long> wrong(
      OrderedPrograms.Pair pair, Function<SanitizedProgram, int[]> body) {
    List<Integer> expected = Arrays.stream(pair.expected()).boxed().toList();
    return LongStream.rangeClosed(1, SEEDS)
        .boxed()
        .filter(seed -> !run(body, seed, 2).result().equals(expected))
        .toList();
  }

  @ParameterizedTest
  @MethodSource("names")
  void someSeedShowsThatItIsMissing(String name) {
    assertThat(wrong(pair(name), pair(name).mistaken()))
        .as("seeds with a wrong result")
        .isNotEmpty();
  }

  @ParameterizedTest
  @MethodSource("names")
  void noSeedMindsWhereItIsThere(String name) {
    assertThat(wrong(pair(name), pair(name).right())).as("seeds with a wrong result").isEmpty();
  }

  @ParameterizedTest
  @MethodSource("names")
  void aSeedGivesTheSameOrderAndResultAgainOnAnyNumberOfWorkers(String name) {
    for (long seed = 1; seed <= 2; seed++) {
      Run first = run(pair(name).mistaken(), seed, 1);
      assertThat(first.order()).isNotEmpty();
      assertThat(run(pair(name).mistaken(), seed, 1)).as("seed %d", seed).isEqualTo(first);
      assertThat(run(pair(name).mistaken(), seed, 4)).as("seed %d", seed).isEqualTo(first);
    }
  }
}
