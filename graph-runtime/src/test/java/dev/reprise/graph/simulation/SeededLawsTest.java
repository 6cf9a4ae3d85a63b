package dev.reprise.graph.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.cuda.CudaException;
import dev.reprise.cuda.CudaModule;
import dev.reprise.cuda.Device;
import dev.reprise.cuda.DeviceBuffer;
import dev.reprise.cuda.Event;
import dev.reprise.cuda.KernelArg;
import dev.reprise.cuda.LaunchConfig;
import dev.reprise.cuda.Stream;
import dev.reprise.softgpu.SoftwareDriver;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The tests of the laws pass whatever order the device takes, and the sanitizer has nothing to say
 * of them. {@code -Dreprise.simulation.seeds=200} tries more seeds, {@code
 * -Dreprise.simulation.first=N} begins with another one, and {@code -Dreprise.simulation.classes=…}
 * takes other tests, by a regular expression of their classes' names.
 */
class SeededLawsTest {

  private static final int FEW = 1;

  /** Without those that take longer than all others together. */
  private static final String LAWS = ".*\\.Law(?!03Growth|03Pressure|07|10|12)\\d\\d\\w+Test";

  @BeforeAll
  static void onlyOnTheSoftwareGpu() {
    try (Device device = Device.open(0)) {
      Assumptions.assumeTrue(
          SoftwareDriver.ofProcess().isPresent(), device.name() + " takes no seeds");
    }
  }

  static LongStream seeds() {
    long first = Long.getLong("reprise.simulation.first", 1);
    return LongStream.range(first, first + Integer.getInteger("reprise.simulation.seeds", FEW));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void theTestsOfTheLawsPassUnderASeed(long seed) {
    SeededRun run = SeededRun.of(seed, System.getProperty("reprise.simulation.classes", LAWS));
    if (seeds().count() > FEW) {
      System.out.println(run);
    }
    assertThat(run.failures()).as("seed %d", seed).isEmpty();
    assertThat(run.tests()).isPositive();
  }

  @Test
  void aTestWhoseResultDependsOnTheOrderFailsUnderSomeSeed() {
    assertThat(failures(".*\\$Ordered", 12)).isEmpty();
    assertThat(failures(".*\\$NotOrdered", 12)).isNotEmpty();
  }

  @Test
  void aTestOfWhichTheSanitizerReportsFails() throws InterruptedException {
    List<String> failures = failures(".*\\$BeyondTheEnd", 1);
    awaitFreshContext();
    assertThat(failures).hasSize(1).first().asString().contains("out-of-bounds", "kernel beyond");
  }

  /** The context that was lost goes with what was made in it, which another thread destroys. */
  private static void awaitFreshContext() throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
    while (true) {
      try (Device device = Device.open(0)) {
        assertThat(device.ordinal()).isZero();
        return;
      } catch (CudaException e) {
        assertThat(System.nanoTime()).as("the lost context is kept").isLessThan(deadline);
        Thread.sleep(1);
      }
    }
  }

  private static List<String> failures(String classes, int seeds) {
    return LongStream.rangeClosed(1, seeds)
        .mapToObj(seed -> SeededRun.of(seed, classes))
        .peek(run -> assertThat(run.tests()).isEqualTo(1))
        .flatMap(run -> run.failures().stream())
        .toList();
  }

  /** Two streams fill a word, and nothing puts one before the other. */
  static class NotOrdered {
    @Test
    void plantedMistake() {
      assertThat(filledByTwoStreams(false)).containsExactly(2);
    }
  }

  /** The same as it should be. */
  static class Ordered {
    @Test
    void twin() {
      assertThat(filledByTwoStreams(true)).containsExactly(2);
    }
  }

  private static int[] filledByTwoStreams(boolean ordered) {
    try (Device device = Device.open(0);
        Stream first = device.createStream("first");
        Stream second = device.createStream("second");
        Event filled = device.createEvent();
        DeviceBuffer buffer = device.allocate("word", Integer.BYTES)) {
      first.fill32(buffer, 0, 1, 1);
      first.record(filled);
      if (ordered) {
        second.waitFor(filled);
      }
      second.fill32(buffer, 0, 1, 2);
      first.synchronize();
      int[] word = new int[1];
      second.read(buffer, 0, word);
      return word;
    }
  }

  /** A store behind a buffer; the error of the driver is expected, so that the report is left. */
  static class BeyondTheEnd {
    private static final String PTX =
        """
        .version 8.0
        .target sm_75
        .address_size 64
        .visible .entry beyond(.param .u64 word)
        {
          .reg .u64 %a;
          .reg .u32 %v;
          ld.param.u64 %a, [word];
          cvta.to.global.u64 %a, %a;
          mov.u32 %v, 1;
          st.global.u32 [%a+4096], %v;
          ret;
        }
        """;

    @Test
    void plantedMistake() {
      try (Device device = Device.open(0);
          Stream stream = device.createStream("stores");
          CudaModule module = device.loadModule("beyond", PTX);
          DeviceBuffer buffer = device.allocate("word", Integer.BYTES)) {
        stream.launch(
            module.kernel("beyond").prepare(LaunchConfig.of(1, 1), KernelArg.write(buffer)));
        assertThatThrownBy(stream::synchronize).isInstanceOf(CudaException.class);
      }
    }
  }
}
