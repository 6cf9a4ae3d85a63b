package dev.reprise.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

final class LaunchConfigTest {

  @Test
  void coversEveryElement() {
    assertThat(LaunchConfig.covering(1, 256)).isEqualTo(LaunchConfig.of(1, 256));
    assertThat(LaunchConfig.covering(256, 256)).isEqualTo(LaunchConfig.of(1, 256));
    assertThat(LaunchConfig.covering(257, 256)).isEqualTo(LaunchConfig.of(2, 256));
  }

  @Test
  void changesOneThingAtATime() {
    LaunchConfig config = LaunchConfig.of(2, 32, 64);
    assertThat(config.withGrid(1, 2, 3)).isEqualTo(new LaunchConfig(1, 2, 3, 32, 1, 1, 64));
    assertThat(config.withBlock(4, 5, 6)).isEqualTo(new LaunchConfig(2, 1, 1, 4, 5, 6, 64));
    assertThat(config.withDynamicSharedBytes(8)).isEqualTo(LaunchConfig.of(2, 32, 8));
    assertThat(config.withBlock(4, 5, 6).threadsPerBlock()).isEqualTo(120);
  }

  @Test
  void refusesEmptyGridsAndBlocks() {
    assertThatThrownBy(() -> LaunchConfig.of(0, 32))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("grid 0×1×1, block 32×1×1");
    assertThatThrownBy(() -> LaunchConfig.of(1, 32, -1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> LaunchConfig.covering(0, 32))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
