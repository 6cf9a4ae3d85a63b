package dev.reprise.softgpu.sanitizer;

import static dev.reprise.softgpu.sanitizer.Corpus.N;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.softgpu.driver.simulation.Simulator;
import dev.reprise.softgpu.simulation.SimulationSession;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** One mistake is one report, whichever order shows it, and two are two. */
class ReportCountTest {

  private static final SanitizerOptions WITHOUT_LEAKS =
      new SanitizerOptions(SanitizerLevel.FULL, Set.of(ReportKind.LEAK), 100, 0);
  private static final int SEEDS = 12;

  /** The reports of a program under each seed. */
  private static void underSeeds(Consumer<SanitizedProgram> body, Consumer<List<Report>> check) {
    for (long seed = 1; seed <= SEEDS; seed++) {
      Simulator simulator = new Simulator(60_000);
      try (SimulationSession session = simulator.begin(seed)) {
        SanitizedProgram program = new SanitizedProgram(WITHOUT_LEAKS, simulator, 1);
        body.accept(program);
        program.close();
        check.accept(program.reports());
      }
    }
  }

  @Test
  void aPairThatRacesInBothOrdersIsOneMistake() {
    underSeeds(
        p -> {
          long one = p.stream();
          long two = p.stream();
          long buffer = p.filled(N);
          long copy = p.filled(N);
          for (int i = 0; i < 4; i++) {
            p.launch("fill", 1, N, 0, one, buffer, 1, N);
            p.launch("add", 1, N, 0, two, copy, buffer, 1, N);
          }
          p.sync(one);
          p.sync(two);
        },
        reports ->
            assertThat(reports).extracting(Report::kind).containsExactly(ReportKind.STREAM_RACE));
  }

  @Test
  void twoPairsThatRaceAreTwo() {
    underSeeds(
        p -> {
          long one = p.stream();
          long two = p.stream();
          long buffer = p.filled(N);
          long other = p.filled(N);
          p.launch("fill", 1, N, 0, one, buffer, 1, N);
          p.launch("fill", 1, N, 0, one, other, 1, N);
          p.launch("add", 1, N, 0, two, p.allocate(N), buffer, 1, N);
          p.launch("add", 1, N, 0, two, p.allocate(N), other, 1, N);
          p.sync(one);
          p.sync(two);
        },
        reports -> assertThat(reports).hasSize(2));
  }

  @Test
  void eachLeakAtOneAddressIsALeak() {
    SanitizedProgram program = new SanitizedProgram(SanitizerOptions.FULL);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(8192, 4096);
      for (int i = 1; i <= 3; i++) {
        program.ok("cuMemHostRegister_v2", memory, memory.byteSize(), 0);
        program.ok("cuDevicePrimaryCtxReset_v2", 0);
        assertThat(program.sanitizer().count(ReportKind.LEAK)).isEqualTo(i);
        program.ok("cuCtxSetCurrent", program.out("cuDevicePrimaryCtxRetain", 0));
      }
    }
    program.close();
    assertThat(program.reports()).hasSize(3);
    assertThat(program.reports())
        .extracting(Report::address)
        .containsOnly(program.reports().getFirst().address());
  }

  /** The value that a stream waits for says nothing of the fill that the program has waited for. */
  @Test
  void aWaitForAValueOfAStreamHidesNoRaceWithWhatTheProgramKnows() {
    underSeeds(
        p -> {
          long setting = p.stream();
          long waiting = p.stream();
          long filling = p.stream();
          long flag = p.filled(1);
          long buffer = p.filled(N);
          p.ok("cuStreamWriteValue32_v2", setting, flag, 5, 0);
          p.ok("cuStreamWaitValue32_v2", waiting, flag, 5, 0);
          p.launch("add", 1, N, 0, waiting, p.allocate(N), buffer, 1, N);
          p.launch("fill", 1, N, 0, filling, buffer, 1, N);
          p.sync(filling);
          p.sync(waiting);
          p.sync(setting);
        },
        reports ->
            assertThat(reports).extracting(Report::kind).containsExactly(ReportKind.STREAM_RACE));
  }
}
