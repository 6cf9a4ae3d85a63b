package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.function.IntBinaryOperator;
import java.util.function.LongBinaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code st.async}, {@code red.async} and {@code st.bulk}. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class AsyncStoreTest {
  private final Device device = new Device(1);

  @AfterEach
  void close() {
    device.close();
  }

  /**
   * A barrier of one arrival in each block, {@code %r6}, and its address in the other block, {@code
   * %r7}; a tile that holds 5 in each word, the thread's 16 bytes of it in {@code %r8}, and their
   * address in the other block, {@code %r9}.
   */
  private static final String START =
      """
      .shared .align 16 .b8 tile[1024]; .shared .align 8 .b64 bar;
      mov.u32 %r6, bar; setp.eq.u32 %p1, %r2, 0;
      @%p1 mbarrier.init.shared::cta.b64 [%r6], 1;
      xor.b32 %r10, %r3, 1; mapa.shared::cluster.u32 %r7, %r6, %r10;
      mov.u32 %r8, tile; mad.lo.u32 %r8, %r2, 16, %r8; mapa.shared::cluster.u32 %r9, %r8, %r10;
      mov.u32 %r11, 5; st.shared.v4.u32 [%r8], {%r11, %r11, %r11, %r11};
      barrier.cluster.arrive; barrier.cluster.wait;
      """;

  /** Waits for so many bytes at the own barrier. */
  private static String await(int bytes) {
    return "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r6], "
        + bytes
        + """
        ;
        WAIT: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [%r6], 0;
        @!%p2 bra WAIT;
        """;
  }

  private static final String END = "barrier.cluster.arrive; barrier.cluster.wait;";

  @ParameterizedTest
  @EnumSource(Execution.class)
  void arrivesWhenTheOtherBlockWaits(Execution execution) {
    int[] got =
        ClusterKernels.run(
            device,
            execution,
            4,
            32,
            2,
            START
                + """
                add.u32 %r12, %r1, 100;
                st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r9], %r12, [%r7];
                barrier.cluster.arrive; barrier.cluster.wait;
                ld.shared.u32 %r13, [%r8];
                """
                + await(32 * 4)
                + "ld.shared.v2.u32 {%r14, %r15}, [%r8];"
                + " st.global.v4.u32 [%rd1], {%r13, %r14, %r15, %r3};"
                + END);
    for (int t = 0; t < 128; t++) {
      int other = (t / 32 ^ 1) * 32 + t % 32;
      assertThat(ClusterKernels.words(got, t))
          .as("thread %d", t)
          .containsExactly(5, other + 100, 5, t / 32 % 2);
    }
  }

  @Test
  void storesVectorsAndLongValues() {
    int[] got =
        ClusterKernels.run(
            device,
            Execution.INTERPRETED,
            2,
            1,
            2,
            """
            .shared .align 16 .b8 tile[64]; .shared .align 8 .b64 bar; mov.u32 %r6, bar;
            mbarrier.init.shared::cta.b64 [%r6], 1; setp.eq.u32 %p1, %r2, 0;
            xor.b32 %r10, %r3, 1; mapa.shared::cluster.u32 %r7, %r6, %r10;
            cvt.u64.u32 %rd2, %r6; cvta.shared.u64 %rd2, %rd2; mapa.u64 %rd2, %rd2, %r10;
            mapa.shared::cluster.u32 %r8, tile, %r10;
            cvt.u64.u32 %rd3, %r8; cvta.shared::cluster.u64 %rd3, %rd3;
            barrier.cluster.arrive; barrier.cluster.wait;
            mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f40000000; mov.f32 %f3, 0f40400000; mov.f32 %f4, 0f40800000;
            st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [%r8], {%f1,%f2,%f3,%f4}, [%r7];
            mov.u64 %rd4, 0x1122334455667788; mov.f64 %fd1, 0d3FF8000000000000;
            st.async.mbarrier::complete_tx::bytes.v2.b64 [%rd3+16], {%rd4, %fd1}, [%rd2];
            mov.u32 %r11, 9; mov.u32 %r12, 10;
            st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.s32 [%r8+32], {%r11,%r12}, [%r7];
            st.async.shared::cluster.mbarrier::complete_tx::bytes.s64 [%r8+40], %rd4, [%r7];
            """
                + await(16 + 16 + 8 + 8)
                + """
                mov.u32 %r13, 0; mov.u32 %r14, tile; add.u32 %r14, %r14, %r3;
                mov.u32 %r14, tile; ld.shared.v4.u32 {%r20,%r21,%r22,%r23}, [%r14];
                ld.shared.v4.u32 {%r24,%r25,%r26,%r27}, [%r14+16]; ld.shared.v4.u32 {%r28,%r29,%r30,%r31}, [%r14+32];
                xor.b32 %r20, %r20, %r21; xor.b32 %r20, %r20, %r22; xor.b32 %r20, %r20, %r23;
                xor.b32 %r24, %r24, %r26; xor.b32 %r25, %r25, %r27;
                mad.lo.u32 %r28, %r28, 100, %r29; xor.b32 %r30, %r30, %r31;
                xor.b32 %r25, %r25, %r30;
                st.global.v4.u32 [%rd1], {%r20, %r24, %r25, %r28};
                """
                + END);
    int floats = 0;
    for (float f : new float[] {1, 2, 3, 4}) {
      floats ^= Float.floatToRawIntBits(f);
    }
    for (int block = 0; block < 2; block++) {
      assertThat(ClusterKernels.words(got, block))
          .containsExactly(
              floats, 0x55667788, 0x11223344 ^ 0x3FF80000 ^ 0x11223344 ^ 0x55667788, 910);
    }
  }

  private static final Map<String, IntBinaryOperator> WORDS =
      Map.of(
          "add.u32", Integer::sum,
          "add.s32", Integer::sum,
          "min.s32", Math::min,
          "max.s32", Math::max,
          "min.u32", (x, y) -> Integer.compareUnsigned(x, y) <= 0 ? x : y,
          "max.u32", (x, y) -> Integer.compareUnsigned(x, y) >= 0 ? x : y,
          "and.b32", (x, y) -> x & y,
          "or.b32", (x, y) -> x | y,
          "xor.b32", (x, y) -> x ^ y,
          "inc.u32", (x, y) -> Integer.compareUnsigned(x, y) >= 0 ? 0 : x + 1);

  @Test
  void updatesWordsOfTheOtherBlock() {
    List<Integer> operands = List.of(0, 1, 5, 6, -1, -7, Integer.MIN_VALUE, Integer.MAX_VALUE);
    int[] in = operands.stream().mapToInt(x -> x).toArray();
    WORDS.forEach((form, apply) -> {
      int[] got =
          ClusterKernels.run(
              device,
              Execution.INTERPRETED,
              2,
              8,
              2,
              START
                  + "ld.param.u64 %rd2, [in]; mad.wide.u32 %rd2, %r2, 4, %rd2;"
                  + " ld.global.u32 %r12, [%rd2];"
                  + "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes."
                  + form
                  + " [%r9], %r12, [%r7]; barrier.cluster.arrive; barrier.cluster.wait;"
                  + " ld.shared.u32 %r13, [%r8];"
                  + await(8 * 4)
                  + "ld.shared.u32 %r14, [%r8];"
                  + " st.global.v4.u32 [%rd1], {%r13, %r14, %r13, %r14};"
                  + END,
              in);
      for (int t = 0; t < 16; t++) {
        assertThat(got[4 * t]).isEqualTo(5);
        assertThat(got[4 * t + 1])
            .as("%s of 5 and %d", form, in[t % 8])
            .isEqualTo(apply.applyAsInt(5, in[t % 8]));
      }
    });
  }

  @Test
  void updatesLongWordsOfTheOtherBlock() {
    Map<String, LongBinaryOperator> forms = Map.of("add.u64", Long::sum, "add.s64", Long::sum);
    forms.forEach((form, apply) -> {
      int[] got =
          ClusterKernels.run(
              device,
              Execution.INTERPRETED,
              2,
              4,
              2,
              START
                  + "mov.u64 %rd2, 0xfffffffffffffff0; cvt.u64.u32 %rd3, %r2;"
                  + " mul.lo.u64 %rd2, %rd2, %rd3;"
                  + " red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes."
                  + form
                  + " [%r9], %rd2, [%r7];"
                  + await(4 * 8)
                  + "ld.shared.v2.u32 {%r13, %r14}, [%r8];"
                  + " st.global.v4.u32 [%rd1], {%r13, %r14, %r13, %r14};"
                  + END);
      for (int t = 0; t < 8; t++) {
        long want = apply.applyAsLong(0x5_0000_0005L, -16L * (t % 4));
        assertThat(got[4 * t]).isEqualTo((int) want);
        assertThat(got[4 * t + 1]).isEqualTo((int) (want >>> 32));
      }
    });
  }

  @Test
  void storesToGlobalMemoryWithoutABarrier() {
    int[] got =
        ClusterKernels.run(
            device,
            Execution.INTERPRETED,
            1,
            4,
            0,
            """
            mov.u32 %r6, 40; st.async.release.gpu.global.u32 [%rd1], %r6;
            st.async.mmio.release.sys.global.u32 [%rd1+4], %r2;
            red.async.release.gpu.global.add.u32 [%rd1], %r2;
            red.async.mmio.release.sys.global.max.s32 [%rd1+8], %r1;
            """);
    for (int t = 0; t < 4; t++) {
      assertThat(ClusterKernels.words(got, t)).containsExactly(40 + t, t, t, 0);
    }
  }

  @Test
  void fillsWithZeros() {
    int[] got =
        ClusterKernels.run(
            device,
            Execution.INTERPRETED,
            1,
            16,
            0,
            START
                + """
                mov.u32 %r12, tile; mov.u64 %rd2, 40;
                @%p1 st.bulk.weak.shared::cta [%r12+32], %rd2, 0;
                setp.eq.u32 %p3, %r2, 1; cvt.u64.u32 %rd3, %r12; cvta.shared.u64 %rd3, %rd3;
                @%p3 st.bulk [%rd3+160], 8, 0;
                bar.sync 0;
                ld.shared.v4.u32 {%r13, %r14, %r15, %r16}, [%r8];
                st.global.v4.u32 [%rd1], {%r13, %r14, %r15, %r16};
                """);
    for (int word = 0; word < 64; word++) {
      boolean zero = word >= 8 && word < 18 || word == 40 || word == 41;
      assertThat(got[word]).as("word %d", word).isEqualTo(zero ? 0 : 5);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "st.bulk.shared::cta [%r8], 12, 0;|719|multiple of 8",
        "st.bulk.shared::cta [%r8+4], 16, 0;|716|misaligned",
        "mov.u64 %rd2, 2048; st.bulk.shared::cta [%r8], %rd2, 0;|719|within shared memory",
        "mov.u64 %rd2, 1024; st.bulk.shared::cta [%r8+512], %rd2, 0;|700|shared memory of the block",
        "ld.param.u64 %rd2, [out]; st.bulk [%rd2], 8, 0;|700|outside shared memory",
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r8+2], %r2, [%r6];|716|misaligned",
        "mapa.shared::cluster.u32 %r12, %r8, 3; st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r12], %r2, [%r6];|700|block 3 of a cluster of 2",
        "@%p1 mbarrier.inval.shared::cta.b64 [%r6]; bar.sync 0; @%p1 st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r8], %r2, [%r6]; @%p1 mbarrier.test_wait.parity.shared::cta.b64 %p2, [%r6], 0;|719|not initialised when the bytes come"
      })
  void reportsMisuse(String what) {
    String[] parts = what.split("\\|", 3);
    assertThatThrownBy(
            () -> ClusterKernels.run(device, Execution.ADAPTIVE, 2, 32, 2, START + parts[0]))
        .isInstanceOfSatisfying(
            DeviceFault.class, e -> assertThat(e.cudaError()).isEqualTo(Integer.parseInt(parts[1])))
        .hasMessageContaining(parts[2]);
  }
}
