package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.softgpu.memory.Allocation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code cp.async.bulk}: what it copies is there when it is waited for, and not before. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class BulkCopyTest {
  private final Device device = new Device(1);

  @AfterEach
  void close() {
    device.close();
  }

  /**
   * A tile of 4 KiB whose words are 1000 + their number, the thread's 16 bytes of it in {@code
   * %r8}; a barrier of one arrival, {@code %r6}; the input in {@code %rd2}; the first thread in
   * {@code %p1}.
   */
  private static final String START =
      """
      .shared .align 128 .b8 tile[4096]; .shared .align 8 .b64 bar;
      mov.u32 %r6, bar; setp.eq.u32 %p1, %r2, 0; ld.param.u64 %rd2, [in];
      @%p1 mbarrier.init.shared::cta.b64 [%r6], 1;
      mov.u32 %r7, tile; mad.lo.u32 %r8, %r2, 16, %r7; mad.lo.u32 %r9, %r2, 4, 1000;
      add.u32 %r10, %r9, 1; add.u32 %r11, %r9, 2; add.u32 %r12, %r9, 3;
      st.shared.v4.u32 [%r8], {%r9, %r10, %r11, %r12};
      fence.mbarrier_init.release.cluster; fence.proxy.async.shared::cta;
      barrier.cluster.arrive; barrier.cluster.wait;
      """;

  private static final String WAIT =
      """
      WAIT: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [%r6], 0;
      @!%p2 bra WAIT;
      """;

  private static final String WRITE =
      """
      ld.shared.v4.u32 {%r20, %r21, %r22, %r23}, [%r8];
      st.global.v4.u32 [%rd1], {%r20, %r21, %r22, %r23};
      barrier.cluster.arrive; barrier.cluster.wait;
      """;

  private static int[] numbers(int n) {
    int[] v = new int[n];
    for (int k = 0; k < n; k++) {
      v[k] = 7 * k + 1;
    }
    return v;
  }

  @ParameterizedTest
  @EnumSource(Execution.class)
  void arrivesFromGlobalMemoryWhenTheBarrierIsAsked(Execution execution) {
    for (String space : new String[] {"shared::cluster", "shared::cta"}) {
      int[] got =
          ClusterKernels.run(
              device,
              execution,
              2,
              64,
              0,
              START
                  + "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r6], 512; mov.u32 %r13, 512;"
                  + "@%p1 cp.async.bulk."
                  + space
                  + """
                  .global.mbarrier::complete_tx::bytes [%r7+64], [%rd2+32], %r13, [%r6];
                  bar.sync 0;
                  ld.shared.u32 %r14, [%r8];
                  bar.sync 0;
                  """
                  + WAIT
                  + """
                  ld.shared.v2.u32 {%r15, %r16}, [%r8]; ld.shared.u32 %r17, [%r8+8];
                  st.global.v4.u32 [%rd1], {%r14, %r15, %r16, %r17};
                  """,
              numbers(200));
      for (int t = 0; t < 128; t++) {
        int first = 4 * (t % 64);
        assertThat(got[4 * t]).as("thread %d", t).isEqualTo(1000 + first);
        for (int k = 0; k < 3; k++) {
          int word = first + k;
          boolean copied = word >= 16 && word < 16 + 128;
          assertThat(got[4 * t + 1 + k])
              .as("word %d", word)
              .isEqualTo(copied ? 7 * (word - 16 + 8) + 1 : 1000 + word);
        }
      }
    }
  }

  @Test
  void arrivesWithTheBytesOfThatMoment() {
    // The source changes between the start and the wait, which a program must not let happen.
    int[] got =
        ClusterKernels.run(
            device,
            Execution.INTERPRETED,
            1,
            4,
            0,
            START
                + """
                @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r6], 16;
                @%p1 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r7], [%rd2], 16, [%r6];
                mov.u32 %r13, 42; st.global.u32 [%rd2], %r13;
                """
                + WAIT
                + WRITE,
            numbers(4));
    assertThat(got).startsWith(42, 8, 15, 22);
  }

  @Test
  void goesToAnotherBlockAndItsBarrier() {
    int[] got =
        ClusterKernels.run(
            device,
            Execution.INTERPRETED,
            4,
            64,
            2,
            START
                + """
                @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r6], 256;
                xor.b32 %r13, %r3, 1; mapa.shared::cluster.u32 %r14, %r7, %r13;
                mapa.shared::cluster.u32 %r15, %r6, %r13; mul.wide.u32 %rd3, %r4, 256; add.u64 %rd3, %rd3, %rd2;
                mov.u64 %rd4, 0;
                @%p1 cp.async.bulk.L2::cache_hint.shared::cluster.global.mbarrier::complete_tx::bytes [%r14+128], [%rd3], 256, [%r15], %rd4;
                """
                + WAIT
                + WRITE,
            numbers(256));
    for (int w = 0; w < 4 * 256; w++) {
      int block = w / 256;
      int word = w % 256;
      boolean copied = word >= 32 && word < 96;
      assertThat(got[w])
          .as("block %d, word %d", block, word)
          .isEqualTo(copied ? 7 * ((block ^ 1) * 64 + word - 32) + 1 : 1000 + word);
    }
  }

  @Test
  void goesToSeveralBlocksAtOnce() {
    int[] got =
        ClusterKernels.run(
            device,
            Execution.INTERPRETED,
            8,
            32,
            4,
            START
                + """
                mov.u16 %rs1, 13; setp.ne.u32 %p3, %r3, 1;
                and.pred %p4, %p1, %p3; @%p4 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r6], 64;
                barrier.cluster.arrive; barrier.cluster.wait;
                setp.eq.u32 %p5, %r3, 2; and.pred %p5, %p5, %p1;
                mul.wide.u32 %rd3, %r4, 16; add.u64 %rd3, %rd3, %rd2;
                @%p5 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r7+32], [%rd3], 64, [%r6], %rs1;
                barrier.cluster.arrive; barrier.cluster.wait;
                @!%p3 bra DONE;
                """
                + WAIT
                + "DONE:"
                + WRITE,
            numbers(64));
    for (int w = 0; w < 8 * 128; w++) {
      int block = w / 128;
      int word = w % 128;
      boolean copied = word >= 8 && word < 24 && block % 4 != 1;
      assertThat(got[w])
          .as("block %d, word %d", block, word)
          .isEqualTo(copied ? 7 * ((block / 4 * 4 + 2) * 4 + word - 8) + 1 : 1000 + word);
    }
  }

  @ParameterizedTest
  @EnumSource(Execution.class)
  void goesFromSharedMemoryToThatOfAnotherBlock(Execution execution) {
    int[] got =
        ClusterKernels.run(
            device,
            execution,
            3,
            32,
            3,
            START
                + """
                @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r6], 128;
                add.u32 %r13, %r3, 1; rem.u32 %r13, %r13, 3; mapa.shared::cluster.u32 %r14, %r7, %r13;
                mapa.shared::cluster.u32 %r15, %r6, %r13;
                mul.lo.u32 %r16, %r3, 32; add.u32 %r16, %r16, %r7; mad.lo.u32 %r17, %r3, 5, 1;
                st.shared.u32 [%r16+4], %r17; bar.sync 0;
                @%p1 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r14+256], [%r16], 128, [%r15];
                """
                + WAIT
                + WRITE);
    for (int w = 0; w < 3 * 128; w++) {
      int block = w / 128;
      int word = w % 128;
      int from = (block + 2) % 3;
      int want = word == 8 * block + 1 ? 5 * block + 1 : 1000 + word;
      if (word >= 64 && word < 96) {
        int source = word - 64 + 8 * from;
        want = source == 8 * from + 1 ? 5 * from + 1 : 1000 + source;
      }
      assertThat(got[w]).as("block %d, word %d", block, word).isEqualTo(want);
    }
  }

  @Test
  void neverArrivesWhereNobodyWaits() {
    int[] got =
        ClusterKernels.run(
            device,
            Execution.INTERPRETED,
            1,
            32,
            0,
            START
                + """
                @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r6], 512;
                @%p1 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r7], [%rd2], 512, [%r6];
                bar.sync 0; nanosleep.u32 1000; bar.sync 0;
                """
                + WRITE,
            numbers(128));
    for (int w = 0; w < 128; w++) {
      assertThat(got[w]).isEqualTo(1000 + w);
    }
  }

  /** Copies the tile of 64 threads to {@code out}, which holds zeros; {@code %r15} is 1 KiB. */
  private int[] store(Execution execution, String body) {
    Allocation out = device.of(new int[512]);
    KernelCode code =
        ClusterKernels.load(
            device,
            "",
            ClusterKernels.OWN_SLOT
                + START
                + "ld.param.u64 %rd5, [out]; mov.u32 %r15, 1024;"
                + body);
    try (Engine engine = new Engine(device.memory, 1, execution)) {
      engine.run(ClusterKernels.request(code, 1, 64, 0, out, out));
    }
    return Device.ints(out);
  }

  @ParameterizedTest
  @EnumSource(Execution.class)
  void goesToGlobalMemoryWhenItsGroupIsWaitedFor(Execution execution) {
    int[] got =
        store(
            execution,
            """
            @%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd5], [%r7], %r15;
            cp.async.bulk.commit_group;
            bar.sync 0;
            ld.volatile.global.u32 %r16, [%rd1];
            bar.sync 0;
            cp.async.bulk.wait_group 0;
            bar.sync 0;
            ld.volatile.global.u32 %r17, [%rd1];
            bar.sync 0;
            st.global.v2.u32 [%rd1+8], {%r16, %r17};
            """);
    for (int t = 0; t < 64; t++) {
      assertThat(ClusterKernels.words(got, t))
          .containsExactly(1000 + 4 * t, 1001 + 4 * t, 0, 1000 + 4 * t);
    }
  }

  @Test
  void letsTheLatestGroupsBeOutstanding() {
    int[] got =
        store(
            Execution.INTERPRETED,
            """
            @!%p1 bra DONE;
            cp.async.bulk.global.shared::cta.bulk_group [%rd5], [%r7], 16;
            cp.async.bulk.commit_group;
            cp.async.bulk.global.shared::cta.bulk_group [%rd5+16], [%r7+16], 16;
            cp.async.bulk.global.shared::cta.bulk_group [%rd5+32], [%r7+32], 16;
            cp.async.bulk.commit_group;
            cp.async.bulk.global.shared::cta.bulk_group [%rd5+48], [%r7+48], 16;
            cp.async.bulk.commit_group;
            cp.async.bulk.wait_group 1;
            ld.volatile.global.u32 %r16, [%rd5]; ld.volatile.global.u32 %r17, [%rd5+16];
            ld.volatile.global.u32 %r18, [%rd5+32]; ld.volatile.global.u32 %r19, [%rd5+48];
            st.global.v4.u32 [%rd5+1024], {%r16, %r17, %r18, %r19};
            cp.async.bulk.wait_group 0;
            DONE:
            """);
    assertThat(ClusterKernels.words(got, 64)).containsExactly(1000, 1004, 1008, 0);
    assertThat(got[12]).isEqualTo(1012);
  }

  @Test
  void readsItsSourceWhenThatIsWaitedFor() {
    // Words 0 to 3 are overwritten behind a wait for the reads, 4 to 7 without one.
    int[] got =
        store(
            Execution.INTERPRETED,
            """
            @!%p1 bra DONE;
            cp.async.bulk.global.shared::cta.bulk_group [%rd5], [%r7], 16;
            cp.async.bulk.commit_group;
            cp.async.bulk.wait_group.read 0;
            mov.u32 %r16, 5; st.shared.u32 [%r7], %r16;
            ld.volatile.global.u32 %r17, [%rd5]; st.global.u32 [%rd5+1024], %r17;
            cp.async.bulk.global.shared::cta.bulk_group [%rd5+16], [%r7+16], 16;
            cp.async.bulk.commit_group;
            st.shared.u32 [%r7+16], %r16;
            cp.async.bulk.wait_group.read 0;
            DONE:
            """);
    assertThat(got).startsWith(1000, 1001, 1002, 1003, 5, 1005, 1006, 1007);
    assertThat(got[256]).as("seen before the copy was waited for").isZero();
  }

  @Test
  void isLostWithTheSharedMemoryThatNobodyHasRead() {
    int[] got =
        store(
            Execution.INTERPRETED,
            """
            @!%p1 bra DONE;
            cp.async.bulk.global.shared::cta.bulk_group [%rd5], [%r7], 16;
            cp.async.bulk.commit_group;
            cp.async.bulk.global.shared::cta.bulk_group [%rd5+16], [%r7], 16;
            cp.async.bulk.wait_group.read 1;
            DONE:
            """);
    assertThat(got).containsOnly(0);
  }

  @Test
  void copiesOnlyTheBytesOfAMask() {
    int[] got =
        store(
            Execution.INTERPRETED,
            """
            mov.u16 %rs1, 0x80F5; mov.u64 %rd6, 0;
            @%p1 cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%rd5], [%r7], 32, %rs1;
            @%p1 cp.async.bulk.global.shared::cta.bulk_group.cp_mask.L2::cache_hint [%rd5+64], [%r7], 16, %rd6, 3;
            cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
            """);
    int[] want = new int[32];
    int[] kept = {0x00ff00ff, -1, 0, 0xff000000};
    for (int k = 0; k < 8; k++) {
      want[k] = 1000 + k & kept[k % 4];
    }
    want[16] = 1000 & 0xffff;
    assertThat(java.util.Arrays.copyOf(got, 32)).isEqualTo(want);
  }

  @Test
  void prefetchesNothingThatShows() {
    int[] got =
        ClusterKernels.run(
            device,
            Execution.INTERPRETED,
            1,
            32,
            0,
            START
                + "mov.u64 %rd3, 0; cp.async.bulk.prefetch.L2.global [%rd2], 64;"
                + " cp.async.bulk.prefetch.L2.global.L2::cache_hint [%rd2+16], %r2, %rd3;"
                    .replace("%r2,", "32,")
                + WRITE,
            numbers(64));
    assertThat(got[5]).isEqualTo(1005);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "mov.u32 %r13, 24; cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r7], [%rd2], %r13, [%r6];|719|24 bytes, which is no multiple of 16",
        "mov.u32 %r13, -16; cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r7], [%rd2], %r13, [%r6];|719|no multiple of 16",
        "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r7+8], [%rd2], 16, [%r6];|716|misaligned asynchronous write",
        "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r7], [%rd2+4], 16, [%r6];|716|misaligned asynchronous read",
        "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r7], [%rd2], 16, [%r6+4];|716|misaligned mbarrier access",
        "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r7], [%rd2], 272, [%r6];|700|illegal asynchronous read of 272 bytes",
        "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r7+4080], [%rd2], 32, [%r6];|700|illegal asynchronous write of 32 bytes",
        "cp.async.bulk.global.shared::cta.bulk_group [%rd2+240], [%r7], 32;|700|illegal asynchronous write",
        "cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r7+4096], 32;|700|illegal asynchronous read",
        "cp.async.bulk.prefetch.L2.global [%rd2+8], 32;|716|misaligned prefetch",
        "mov.u16 %rs1, 4; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r7], [%rd2], 16, [%r6], %rs1;|719|to blocks 0x4 of a cluster of 2",
        "mapa.shared::cluster.u32 %r13, %r7, 2; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r13], [%rd2], 16, [%r6];|700|block 2 of a cluster of 2"
      })
  void reportsMisuse(String what) {
    String[] parts = what.split("\\|", 3);
    assertThatThrownBy(() ->
            ClusterKernels.run(device, Execution.ADAPTIVE, 2, 32, 2, START + parts[0], numbers(64)))
        .isInstanceOfSatisfying(
            DeviceFault.class, e -> assertThat(e.cudaError()).isEqualTo(Integer.parseInt(parts[1])))
        .hasMessageContaining(parts[2])
        .hasMessageContaining("cp.async.bulk");
  }
}
