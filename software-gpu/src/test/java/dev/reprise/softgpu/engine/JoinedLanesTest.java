package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.softgpu.memory.Allocation;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Shuffles and votes amid other instructions, where not all lanes come to them at once. */
@Timeout(60)
final class JoinedLanesTest {
  private static int[] run(Execution execution, int threads, String body) {
    try (Device device = new Device(1, execution)) {
      Allocation out = device.allocate(threads * 4L);
      device.launch(
          Kernels.load(device, ".param .u64 out", Kernels.OWN_SLOT + body), 1, threads, out);
      return Device.ints(out);
    }
  }

  /** The even lanes stand at the shuffle while the odd ones are still on their way back to it. */
  @ParameterizedTest
  @EnumSource(Execution.class)
  void waitsForLanesThatComeLater(Execution execution) {
    int[] got =
        run(
            execution,
            32,
            """
            and.b32 %r4, %r1, 1; setp.eq.u32 %p1, %r4, 1; @%p1 bra LATER;
            MEET: add.u32 %r5, %r1, 100; shfl.sync.bfly.b32 %r6, %r5, 1, 31, -1; add.u32 %r6, %r6, %r5; bra END;
            LATER: add.u32 %r1, %r1, 1000; bra MEET;
            END: st.global.u32 [%rd1], %r6;
            """);
    for (int t = 0; t < 32; t++) {
      assertThat(got[t]).as("lane %d", t).isEqualTo(2 * (t & ~1) + 1201);
    }
  }

  @ParameterizedTest
  @EnumSource(Execution.class)
  void countsTheVotesOfTheNamedLanesOnly(Execution execution) {
    int[] got =
        run(
            execution,
            64,
            """
            and.b32 %r4, %r1, 16; setp.eq.u32 %p1, %r4, 0; selp.b32 %r5, 0x0000ffff, 0xffff0000, %p1;
            and.b32 %r6, %r1, 1; setp.eq.u32 %p2, %r6, 0; vote.sync.ballot.b32 %r7, %p2, %r5; add.u32 %r7, %r7, 1;
            st.global.u32 [%rd1], %r7;
            """);
    for (int t = 0; t < 64; t++) {
      assertThat(got[t]).as("thread %d", t).isEqualTo(((t & 16) == 0 ? 0x5555 : 0x5555_0000) + 1);
    }
  }

  /** A warp of 20 lanes: those that are not there have no part in it. */
  @ParameterizedTest
  @EnumSource(Execution.class)
  void votesWithoutLanesThatAreNotThere(Execution execution) {
    int[] got =
        run(
            execution,
            20,
            """
            add.u32 %r4, %r1, 1; setp.gt.u32 %p1, %r4, 0; vote.sync.ballot.b32 %r5, %p1, -1; add.u32 %r5, %r5, %r4;
            st.global.u32 [%rd1], %r5;
            """);
    for (int t = 0; t < 20; t++) {
      assertThat(got[t]).as("lane %d", t).isEqualTo(0xfffff + t + 1);
    }
  }
}
