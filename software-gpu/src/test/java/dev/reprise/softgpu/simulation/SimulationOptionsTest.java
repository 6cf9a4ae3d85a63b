package dev.reprise.softgpu.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** What the setting for simulations may say. */
class SimulationOptionsTest {

  @Test
  void readsSeedAndPause() {
    assertThat(SimulationOptions.parse("seed=-7, stall=40"))
        .isEqualTo(new SimulationOptions(OptionalLong.of(-7), 40));
    assertThat(SimulationOptions.parse("off")).isEqualTo(SimulationOptions.OFF);
    assertThat(SimulationOptions.parse("")).isEqualTo(SimulationOptions.OFF);
  }

  @Test
  void saysWhatItCannotRead() {
    assertThatThrownBy(() -> SimulationOptions.parse("seed=x")).hasMessageContaining("'seed=x'");
    assertThatThrownBy(() -> SimulationOptions.parse("stall=0")).hasMessageContaining("from 1 to");
    assertThatThrownBy(() -> SimulationOptions.parse("on"))
        .hasMessage("'on': it must be off, seed=N or stall=MILLISECONDS");
  }
}
