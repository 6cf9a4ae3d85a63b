package dev.reprise.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cuda.PreparedLaunch;
import dev.reprise.kernels.contract.StatusBit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(GpuExtension.class)
class StepAdvanceTest {

  @Test
  void feedsTokensAndPositionsBackAndKeepsTheRing(Gpu gpu) {
    Span sampled = gpu.ints(40, 41, 42);
    Span tokens = gpu.ints(1, 2, 3, 4);
    Span positions = gpu.ints(10, -1, 12, 13);
    Span generated = gpu.ints(-9, -9, -9, -9, -9, -9);
    Span step = gpu.ints(-2); // 2^32 - 2: the counter wraps
    Span status = gpu.status();
    PreparedLaunch launch =
        gpu.kernels()
            .stepAdvance()
            .advance(
                sampled, gpu.ints(3, 0, -1), tokens, positions, generated, step, status, 3, 4, 2);
    gpu.run(launch);
    assertThat(gpu.ints(tokens)).containsExactly(41, 2, 3, 40);
    assertThat(gpu.ints(positions)).containsExactly(11, -1, 12, 14);
    assertThat(gpu.ints(generated)).containsExactly(40, 41, -1, -9, -9, -9);
    gpu.run(launch);
    assertThat(gpu.ints(generated)).containsExactly(40, 41, -1, 40, 41, -1);
    gpu.run(launch);
    assertThat(gpu.ints(positions)).containsExactly(13, -1, 12, 16);
    assertThat(gpu.ints(step)).containsExactly(1);
    assertThat(gpu.status(status)).isEmpty();
  }

  @Test
  void aLiveRowWithoutATokenStaysAndIsReported(Gpu gpu) {
    Span tokens = gpu.ints(1, 2, 3);
    Span positions = gpu.ints(10, 11, -1);
    Span generated = gpu.intsOf(3);
    Span status = gpu.status();
    gpu.run(
        gpu.kernels()
            .stepAdvance()
            .advance(
                gpu.ints(-1, 7, -1),
                gpu.ints(0, 1, 2),
                tokens,
                positions,
                generated,
                gpu.ints(0),
                status,
                3,
                3,
                1));
    assertThat(gpu.ints(tokens)).containsExactly(1, 7, 3);
    assertThat(gpu.ints(positions)).containsExactly(10, 12, -1);
    assertThat(gpu.ints(generated)).containsExactly(-1, 7, -1);
    assertThat(gpu.status(status)).containsExactly(StatusBit.ROW_NOT_ADVANCED);
  }

  @Test
  void aRowThatDoesNotExistIsReportedAndNothingIsWrittenForIt(Gpu gpu) {
    Span tokens = gpu.ints(1, 2);
    Span positions = gpu.ints(3, 4);
    Span status = gpu.status();
    gpu.run(
        gpu.kernels()
            .stepAdvance()
            .advance(
                gpu.ints(5, 6),
                gpu.ints(2, 0),
                tokens,
                positions,
                gpu.intsOf(2),
                gpu.ints(0),
                status,
                2,
                2,
                1));
    assertThat(gpu.ints(tokens)).containsExactly(6, 2);
    assertThat(gpu.status(status)).containsExactly(StatusBit.ROW_OUT_OF_RANGE);
  }

  @Test
  void handlesMoreRowsThanTheBlockHasThreads(Gpu gpu) {
    int rows = 700;
    int[] sampled = new int[rows];
    int[] index = new int[rows];
    for (int i = 0; i < rows; i++) {
      sampled[i] = 1000 + i;
      index[i] = rows - 1 - i;
    }
    Span tokens = gpu.ints(new int[rows]);
    Span positions = gpu.ints(new int[rows]);
    gpu.run(
        gpu.kernels()
            .stepAdvance()
            .advance(
                gpu.ints(sampled),
                gpu.ints(index),
                tokens,
                positions,
                gpu.intsOf(rows),
                gpu.ints(0),
                gpu.status(),
                rows,
                rows,
                1));
    int[] fed = gpu.ints(tokens);
    for (int i = 0; i < rows; i++) {
      assertThat(fed[rows - 1 - i]).isEqualTo(1000 + i);
    }
    assertThat(gpu.ints(positions)).containsOnly(1);
  }
}
