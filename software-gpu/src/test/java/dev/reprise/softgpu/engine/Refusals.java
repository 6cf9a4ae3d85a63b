package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.softgpu.ptx.PtxException;

/** What the engine says of instructions that do not exist. */
final class Refusals {
  private Refusals() {}

  /**
   * Loads a kernel with an instruction and expects to be told its line, its form and what is wrong.
   *
   * @param example the instruction, a bar, and a part of what is said
   */
  static void check(Device device, String example) {
    int bar = example.indexOf('|');
    String instruction = example.substring(0, bar);
    String text = Kernels.text("", ".param .u64 out", "\n" + instruction + ";");
    int line = (int) text.substring(0, text.indexOf(instruction)).lines().count() + 1;
    assertThatThrownBy(() -> device.load(text))
        .isInstanceOf(PtxException.class)
        .hasMessageContaining("line " + line + ",")
        .hasMessageContaining(instruction.split(" ", 2)[0])
        .hasMessageContaining(example.substring(bar + 1));
  }
}
