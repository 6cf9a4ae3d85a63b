package dev.reprise.kernels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.kernels.check.Inputs;
import dev.reprise.kernels.contract.StatusBit;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@ExtendWith(GpuExtension.class)
class AdaptersTest {

  private static final int SLOTS = 3;
  private static final int RANK = 5;
  private static final int IN = 70;
  private static final int OUT = 133;

  private final Random random = Gpu.random();
  private final float[] a = Inputs.halfExact(random, SLOTS * RANK * IN);
  private final float[] b = Inputs.halfExact(random, SLOTS * RANK * OUT);
  private final float[] x = Inputs.uniform(random, IN, -2, 2);
  private final float[] base = Inputs.uniform(random, OUT, -2, 2);

  private Span status;

  @BeforeEach
  void makeStatus(Gpu gpu) {
    status = gpu.status();
  }

  /** The outputs of rows that share one input, on top of one base. */
  private float[] run(
      Gpu gpu, WeightType type, int[] adapters, int[] positions, float[] inputs, float[] bases) {
    int rows = adapters.length;
    AdapterSlots slots =
        new AdapterSlots(
            type,
            gpu.weights(type, a),
            gpu.weights(type, b),
            gpu.ints(RANK, 1, 3),
            gpu.floats(0.5f, 2, -1),
            SLOTS,
            RANK);
    Span low = gpu.floatsOf(rows * RANK);
    Span y = gpu.floats(bases);
    Span ids = gpu.ints(adapters);
    Span at = gpu.ints(positions);
    Adapters kernels = gpu.kernels().adapters();
    gpu.run(
        kernels.shrink(slots, gpu.floats(inputs), ids, at, low, status, rows, IN),
        kernels.expand(slots, low, ids, at, y, status, rows, OUT));
    return gpu.floats(y);
  }

  private static float[] repeated(float[] row, int rows) {
    float[] all = new float[row.length * rows];
    for (int i = 0; i < rows; i++) {
      System.arraycopy(row, 0, all, i * row.length, row.length);
    }
    return all;
  }

  private int[] alone(Gpu gpu, WeightType type, int adapter) {
    return Close.bits(run(gpu, type, new int[] {adapter}, new int[] {4}, x, base));
  }

  @ParameterizedTest
  @EnumSource
  void aRowHasTheSameBitsAloneAndInAnyMixOfAdapters(WeightType type, Gpu gpu) {
    int[] mix = {0, -1, 2, 1, 0, 2};
    float[] y = run(gpu, type, mix, new int[mix.length], repeated(x, 6), repeated(base, 6));
    for (int row = 0; row < mix.length; row++) {
      assertThat(Close.bits(y, row, OUT)).as("row %d", row).isEqualTo(alone(gpu, type, mix[row]));
    }
    assertThat(alone(gpu, type, 0)).isNotEqualTo(alone(gpu, type, 2));
    assertThat(gpu.status(status)).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void aRowWithoutAnAdapterIsLeftAsItIs(WeightType type, Gpu gpu) {
    assertThat(alone(gpu, type, -1)).isEqualTo(Close.bits(base));
  }

  @Test
  void poisonedPaddingIsNotTouchedAndTouchesNoRow(Gpu gpu) {
    float[] inputs = repeated(x, 3);
    Arrays.fill(inputs, IN, 2 * IN, Float.NaN);
    float[] bases = repeated(base, 3);
    Arrays.fill(bases, OUT, 2 * OUT, Float.NaN);
    int[] adapters = {1, Integer.MAX_VALUE, 1};
    float[] y = run(gpu, WeightType.F32, adapters, new int[] {0, -1, 9}, inputs, bases);
    assertThat(Close.bits(y, 0, OUT)).isEqualTo(alone(gpu, WeightType.F32, 1));
    assertThat(Close.bits(y, 1, OUT)).containsOnly(Float.floatToRawIntBits(Float.NaN));
    assertThat(Close.bits(y, 2, OUT)).isEqualTo(alone(gpu, WeightType.F32, 1));
    assertThat(gpu.status(status)).isEmpty();
  }

  @Test
  void aSlotThatDoesNotExistIsReportedAndTheRowRunsWithoutIt(Gpu gpu) {
    float[] y = run(gpu, WeightType.F32, new int[] {SLOTS}, new int[] {0}, x, base);
    assertThat(Close.bits(y)).isEqualTo(Close.bits(base));
    assertThat(gpu.status(status)).containsExactly(StatusBit.SLOT_OUT_OF_RANGE);
  }

  @Test
  void aSlotTooSmallForItsRankIsRefused(Gpu gpu) {
    AdapterSlots slots =
        new AdapterSlots(
            WeightType.F32,
            gpu.floatsOf(SLOTS * RANK * IN - 1),
            gpu.floatsOf(SLOTS * RANK * OUT),
            gpu.ints(new int[SLOTS]),
            gpu.floats(new float[SLOTS]),
            SLOTS,
            RANK);
    Span one = gpu.ints(0);
    Span low = gpu.floatsOf(RANK);
    Span input = gpu.floats(x);
    Adapters kernels = gpu.kernels().adapters();
    assertThatThrownBy(() -> kernels.shrink(slots, input, one, one, low, status, 1, IN))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("lora_shrink_f32")
        .hasMessageContaining("a needs 4200 bytes");
  }
}
