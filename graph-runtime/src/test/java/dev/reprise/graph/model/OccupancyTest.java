package dev.reprise.graph.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.graph.model.Occupancy.Limit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Values computed by hand from the rules of NVIDIA's occupancy calculator. */
class OccupancyTest {

  @ParameterizedTest
  @CsvSource({
    // 64 warps / 4 = 16 blocks; registers 32 · 32 = 1024 a warp: 64 warps; nothing shared.
    "h200, 128, 32, 0, 16, 64, WARPS",
    // 120 · 32 = 3840 registers a warp: 17, in fours 16 warps.
    "h200, 128, 120, 0, 4, 16, REGISTERS",
    // The same in blocks of one warp: 17 would fit, but warps come in fours.
    "h200, 32, 120, 0, 16, 16, REGISTERS",
    // 88 · 32 = 2816: 23, in fours 20 warps, 5 blocks of 4.
    "h200, 128, 88, 2080, 5, 20, REGISTERS",
    // 33 · 32 = 1056, in lots of 256 1280: 51, in fours 48 warps.
    "a100, 32, 33, 0, 32, 32, BLOCKS",
    // 48 KiB and 1 KiB reserved: 49 KiB of 228 KiB, 4 blocks.
    "h200, 128, 32, 49152, 4, 16, SHARED",
    // 227 KiB and 1 KiB reserved is all of it.
    "h200, 1024, 32, 232448, 1, 32, SHARED",
    // 48 warps / 32 = 1 block of 1024 threads.
    "rtx4090, 1024, 32, 0, 1, 32, WARPS",
    // 16 KiB and 1 KiB reserved: 17 KiB of 100 KiB, 5 blocks.
    "rtx4090, 64, 32, 16384, 5, 10, SHARED",
    // No reservation on 7.5: 16 KiB of 64 KiB.
    "t4, 64, 32, 16384, 4, 8, SHARED",
    // One more byte takes a granule of 256: 3 blocks.
    "t4, 64, 32, 16385, 3, 6, SHARED",
    // 33 threads are two warps.
    "a100, 33, 16, 0, 32, 64, WARPS",
  })
  void isWhatTheRulesGive(
      String device, int threads, int registers, int shared, int blocks, int warps, Limit limit) {
    Occupancy found = Occupancy.of(DeviceModel.named(device), threads, registers, shared);
    assertThat(found.blocks()).isEqualTo(blocks);
    assertThat(found.warps()).isEqualTo(warps);
    assertThat(found.limitedBy()).isEqualTo(limit);
    assertThat(found.share()).isEqualTo((double) warps / found.mostWarps());
  }

  @Test
  void aBlockThatNeedsMoreThanThereIsDoesNotRun() {
    DeviceModel h200 = DeviceModel.named("h200");
    assertThat(Occupancy.of(h200, 32, 32, 232_449).blocks()).isZero();
    Occupancy registers = Occupancy.of(h200, 1024, 255, 0);
    assertThat(registers.blocks()).isZero();
    assertThat(registers.limitedBy()).isEqualTo(Limit.REGISTERS);
  }

  @Test
  void whatNoDeviceHasIsRefused() {
    DeviceModel a100 = DeviceModel.named("a100");
    assertThatThrownBy(() -> Occupancy.of(a100, 1025, 32, 0))
        .hasMessage("the threads of a block must be 1 to 1024: 1025");
    assertThatThrownBy(() -> Occupancy.of(a100, 32, 256, 0)).hasMessageContaining("1 to 255: 256");
    assertThatThrownBy(() -> Occupancy.of(a100, 32, 32, -1)).hasMessageContaining("-1");
    assertThatThrownBy(() -> DeviceModel.named("a200"))
        .hasMessage("unknown device \"a200\"; known are h200, h100, a100, rtx4090, l4, t4");
  }
}
