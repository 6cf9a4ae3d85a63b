package dev.reprise.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.kernels.reference.Philox;
import org.junit.jupiter.api.Test;

/** Known answers of Philox4x32-10, as published with the Random123 library. */
class PhiloxTest {

  @Test
  void givesThePublishedAnswers() {
    assertThat(Philox.block(new int[4], new int[2]))
        .containsExactly(0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8);
    assertThat(Philox.block(new int[] {-1, -1, -1, -1}, new int[] {-1, -1}))
        .containsExactly(0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd);
    assertThat(
            Philox.block(
                new int[] {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                new int[] {0xa4093822, 0x299f31d0}))
        .containsExactly(0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1);
  }
}
