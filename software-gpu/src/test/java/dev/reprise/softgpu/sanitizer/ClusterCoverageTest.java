package dev.reprise.softgpu.sanitizer;

import static dev.reprise.softgpu.sanitizer.ReportKind.DEVICE_FAULT;
import static dev.reprise.softgpu.sanitizer.ReportKind.GLOBAL_RACE;
import static dev.reprise.softgpu.sanitizer.ReportKind.SHARED_RACE;
import static dev.reprise.softgpu.sanitizer.ReportKind.UNINITIALISED_READ;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.softgpu.engine.exec.TensorElement;
import dev.reprise.softgpu.engine.exec.TensorMap;
import dev.reprise.softgpu.engine.exec.TensorMode;
import dev.reprise.softgpu.engine.exec.TensorRegion;
import dev.reprise.softgpu.engine.exec.TensorSwizzle;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Test;

/**
 * Bulk copies, and what the blocks of a cluster do to each other's memory, are seen: each with a
 * mistake that is found, and without.
 */
class ClusterCoverageTest {

  private static final int N = 1024;

  /**
   * Clusters of two blocks of two warps. Each thread has 16 bytes of a tile, {@code %r4}, which in
   * the other block are at {@code %r5}; each block a barrier {@code %r7} of one arrival, which in
   * the other block is at {@code %r8}; {@code %p1} is the first thread, {@code %p2} the first
   * block.
   */
  private static final String START =
      """
      .version 9.0
      .target sm_90a
      .address_size 64
      .visible .entry probe(.param .u64 in, .param .u64 out) .reqnctapercluster 2 {
      .reg .b32 %r<40>; .reg .b64 %rd<10>; .reg .pred %p<8>; .reg .b16 %rs<4>;
      .shared .align 128 .b8 tile[1024]; .shared .align 8 .b64 bar;
      ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out];
      mov.u32 %r1, %tid.x; mov.u32 %r2, tile; mov.u32 %r3, %cluster_ctarank; mov.u32 %r7, bar;
      mad.lo.u32 %r4, %r1, 16, %r2; xor.b32 %r6, %r3, 1;
      mapa.shared::cluster.u32 %r5, %r4, %r6; mapa.shared::cluster.u32 %r8, %r7, %r6;
      mapa.shared::cluster.u32 %r9, %r2, %r6;
      setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p2, %r3, 0;
      mov.u32 %r10, %ctaid.x; mad.lo.u32 %r10, %r10, 64, %r1; mad.wide.u32 %rd5, %r10, 4, %rd2;
      """;

  private static final String INIT =
      """
      @%p1 mbarrier.init.shared::cta.b64 [%r7], 1;
      barrier.cluster.arrive; barrier.cluster.wait;
      """;

  private static final String MEET = "barrier.cluster.arrive; barrier.cluster.wait;\n";
  private static final String BLOCK = "bar.sync 0;\n";
  private static final String OWN = "ld.shared.u32 %r20, [%r4]; st.global.u32 [%rd5], %r20;\n";
  private static final String OTHER =
      "ld.shared::cluster.u32 %r20, [%r5]; st.global.u32 [%rd5], %r20;\n";
  private static final String WRITE = "st.shared.v4.u32 [%r4], {%r1, %r1, %r1, %r1};\n";
  private static final String EXPECT =
      "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r7], 1024;\n";
  private static final String COPY =
      "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd1], 1024,"
          + " [%r7];\n";

  /** Waits for the phase of that number; each label once. */
  private static String await(int phase) {
    return "W%d: mbarrier.try_wait.parity.shared::cta.b64 %%p3, [%%r7], %d; @!%%p3 bra W%d;\n"
        .formatted(phase, phase, phase);
  }

  private static List<ReportKind> run(String body) {
    return run(body, p -> p.filled(N));
  }

  private static List<ReportKind> run(String body, ToLongFunction<SanitizedProgram> input) {
    return InstructionCoverageTest.kinds(p -> {
      p.load(START + body + "\nret; }");
      long stream = p.stream();
      p.launch("probe", 4, 64, 0, stream, input.applyAsLong(p), p.filled(N));
      p.finish(stream);
    });
  }

  @Test
  void aBulkCopyIsWaitedForByAllWhoReadIt() {
    assertThat(run(INIT + EXPECT + COPY + await(0) + OWN)).isEmpty();
    assertThat(run(INIT + EXPECT + COPY + OWN + await(0))).contains(SHARED_RACE);
    assertThat(run(INIT + EXPECT + COPY + BLOCK + OWN + BLOCK + await(0)))
        .containsExactly(SHARED_RACE);
  }

  @Test
  void aBulkCopyMayNotOverwriteOneUnderWay() {
    assertThat(run(INIT + EXPECT + COPY + WRITE + await(0))).containsExactly(SHARED_RACE);
    assertThat(run(INIT + EXPECT + COPY + await(0) + BLOCK + WRITE + OWN)).isEmpty();
  }

  @Test
  void aBulkCopyMayNotOverwriteWhatIsStillRead() {
    String again = EXPECT + COPY + await(1) + OWN;
    String first = INIT + EXPECT + COPY + await(0) + BLOCK + OWN;
    assertThat(run(first + BLOCK + again)).isEmpty();
    assertThat(run(first + again)).contains(SHARED_RACE);
  }

  @Test
  void theSourceOfABulkCopyMustBeWritten() {
    assertThat(run(INIT + EXPECT + COPY + await(0) + OWN, p -> p.allocate(N)))
        .containsExactly(UNINITIALISED_READ);
  }

  @Test
  void aBulkCopyOfSharedMemoryTakesWhatWasWritten() {
    String store =
        """
        mov.u32 %r21, %ctaid.x;
        mul.wide.u32 %rd7, %r21, 1024; add.u64 %rd7, %rd7, %rd1;
        @%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd7], [%r2], 1024;
        cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
        """;
    ToLongFunction<SanitizedProgram> room = p -> p.allocate(N);
    assertThat(run(WRITE + BLOCK + store, room)).isEmpty();
    assertThat(run(WRITE + store, room)).contains(SHARED_RACE);
    assertThat(run(store, room)).containsExactly(UNINITIALISED_READ);
    String read =
        """
        mul.wide.u32 %rd6, %r10, 16; add.u64 %rd6, %rd6, %rd1;
        ld.global.u32 %r22, [%rd6]; st.global.u32 [%rd5], %r22;
        """;
    assertThat(run(WRITE + BLOCK + store + BLOCK + read, room)).isEmpty();
    assertThat(run(WRITE + BLOCK + read + store, room)).contains(UNINITIALISED_READ);
  }

  @Test
  void theSourceOfABulkCopyMustNotChangeBeforeItIsRead() {
    String store =
        """
        mov.u32 %r21, %ctaid.x; mul.wide.u32 %rd7, %r21, 1024; add.u64 %rd7, %rd7, %rd1;
        @%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd7], [%r2], 1024;
        cp.async.bulk.commit_group;
        """;
    String read = "cp.async.bulk.wait_group.read 0;\n";
    assertThat(run(WRITE + BLOCK + store + read + BLOCK + WRITE)).isEmpty();
    assertThat(run(WRITE + BLOCK + store + BLOCK + WRITE + read)).containsExactly(SHARED_RACE);
    // The others do not know that the first thread has waited.
    assertThat(run(WRITE + BLOCK + store + BLOCK + read + WRITE)).containsExactly(SHARED_RACE);
    String two = store + store.replace("%r2]", "%r2+0]") + "cp.async.bulk.wait_group.read 1;\n";
    assertThat(run(WRITE + BLOCK + two + BLOCK + WRITE + read)).containsExactly(SHARED_RACE);
    String reading = "ld.shared.u32 %r22, [%r4]; st.global.u32 [%rd5], %r22;\n";
    assertThat(run(WRITE + BLOCK + store + reading + read)).isEmpty();
  }

  @Test
  void theSourceOfACopyToAnotherBlockMustNotChangeBeforeItIsThere() {
    String copy =
        "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r7], 512;\n"
            + "@%p1 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes"
            + " [%r9], [%r2+512], 512, [%r8];\n";
    String change =
        "add.u32 %r23, %r4, 0; setp.ge.u32 %p6, %r1, 32; @%p6 st.shared.u32 [%r23], 1;\n";
    String first = INIT + WRITE + MEET + copy;
    assertThat(run(first + await(0) + MEET + change + MEET)).isEmpty();
    assertThat(run(first + BLOCK + change + MEET + await(0) + MEET)).containsExactly(SHARED_RACE);
  }

  @Test
  void sharedMemoryOfAnotherBlockIsReadBehindABarrierOfTheCluster() {
    assertThat(run(WRITE + MEET + OTHER + MEET)).isEmpty();
    assertThat(run(WRITE + BLOCK + OTHER + MEET)).contains(UNINITIALISED_READ);
    assertThat(run(WRITE + MEET + OTHER + BLOCK + WRITE + MEET)).containsExactly(SHARED_RACE);
    assertThat(run(WRITE + MEET + OTHER + MEET + WRITE + MEET)).isEmpty();
  }

  @Test
  void sharedMemoryOfAnotherBlockIsWrittenBehindABarrierOfTheCluster() {
    String there = "st.shared::cluster.u32 [%r5], %r1;\n";
    assertThat(run(MEET + there + MEET + OWN)).isEmpty();
    assertThat(run(WRITE + there + MEET + OWN)).contains(SHARED_RACE);
    String byAll = "st.shared::cluster.u32 [%r9], %r1;\n";
    assertThat(run(MEET + byAll + MEET)).as("two warps write one word").contains(SHARED_RACE);
    String atomic = "red.shared::cluster.add.u32 [%r9], %r1;\n";
    assertThat(run(WRITE + MEET + atomic + MEET + OWN)).isEmpty();
  }

  @Test
  void aBlockMustNotEndBeforeItsMemoryIsUsed() {
    // The second block ends first.
    String slow = "@!%p2 bra AFTER; ld.shared::cluster.u32 %r20, [%r5];\nAFTER:\n";
    assertThat(run(WRITE + MEET + slow + MEET)).isEmpty();
    assertThat(run(WRITE + MEET + slow)).contains(DEVICE_FAULT);
  }

  @Test
  void aBarrierInMemoryOfAnotherBlockOrdersToo() {
    // The first block writes to the second one and arrives there; the second one reads and arrives.
    String there =
        """
        @!%p2 bra SECOND;
        st.shared::cluster.u32 [%r5], %r1;
        bar.sync 0; @%p1 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r8];
        """
            + await(0)
            + """
            st.shared::cluster.u32 [%r5], %r1;
            bra DONE;
            SECOND:
            """
            + await(0).replace("W0", "S0");
    String back =
        "bar.sync 0; @%p1 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r8];\n";
    String end = "DONE:\n" + MEET;
    assertThat(run(INIT + there + OWN + back + end)).isEmpty();
    // It reads after it has told the first block to go on.
    assertThat(run(INIT + there + back + OWN + end)).contains(SHARED_RACE);
  }

  @Test
  void aCopyToAllBlocksIsWaitedForInEach() {
    String copy =
        """
        and.pred %p4, %p1, %p2; mov.u16 %rs1, 3;
        @%p4 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r2], [%rd1], 1024, [%r7], %rs1;
        """;
    assertThat(run(INIT + EXPECT + MEET + copy + await(0) + OWN + MEET)).isEmpty();
    assertThat(run(INIT + EXPECT + MEET + copy + MEET + OWN + await(0) + MEET))
        .containsExactly(SHARED_RACE);
  }

  /** A map of four rows of 64 words, of which so many are written. */
  private static long map(SanitizedProgram p, int written) {
    return map(
        p, written, new long[] {64, 4}, new long[] {256}, new TensorRegion.Tile(new int[] {64, 4}));
  }

  /** A map of such a tensor of words, of which so many are written. */
  private static long map(
      SanitizedProgram p, int written, long[] extents, long[] strides, TensorRegion region) {
    int[] steps = new int[extents.length];
    java.util.Arrays.fill(steps, 1);
    long tensor = p.allocate(256);
    long stream = p.stream();
    if (written > 0) {
      p.set(tensor, 1, written, stream);
    }
    MemorySegment host = p.pinned(TensorMap.BYTES / 4);
    new TensorMap(
            TensorElement.U32, tensor, extents, strides, steps, region, TensorSwizzle.NONE, false)
        .write(host);
    long map = p.allocate(TensorMap.BYTES / 4);
    p.upload(map, host, stream);
    p.sync(stream);
    return map;
  }

  @Test
  void aBoxOfATensorIsWaitedForAndMustBeWritten() {
    String copy =
        "mov.u32 %r21, 0; @%p1 cp.async.bulk.tensor.2d.shared::cta.global.tile"
            + ".mbarrier::complete_tx::bytes [%r2], [%rd1, {%r21, %r21}], [%r7];\n";
    ToLongFunction<SanitizedProgram> whole = p -> map(p, 256);
    assertThat(run(INIT + EXPECT + copy + await(0) + OWN, whole)).isEmpty();
    assertThat(run(INIT + EXPECT + copy + BLOCK + OWN + BLOCK + await(0), whole))
        .containsExactly(SHARED_RACE);
    assertThat(run(INIT + EXPECT + copy + await(0) + OWN, p -> map(p, 200)))
        .containsExactly(UNINITIALISED_READ);
  }

  /** 32 pixels of 8 words are the bytes of the box; what lies outside is not read. */
  @Test
  void pixelsOfATensorAreWaitedForAndMustBeWritten() {
    String copy =
        "mov.u32 %r21, 0; @%p1 cp.async.bulk.tensor.3d.shared::cta.global.im2col"
            + ".mbarrier::complete_tx::bytes [%r2], [%rd1, {%r21, -1, 0}], [%r7], {1};\n";
    TensorRegion pixels =
        new TensorRegion.Column(TensorMode.IM2COL, new int[] {-1}, new int[] {0}, 8, 32);
    long[] extents = {8, 9, 3};
    long[] strides = {32, 288};
    // 30 of the 32 places are in one of three images, and 27 inside it once 1 is added.
    ToLongFunction<SanitizedProgram> whole = p -> map(p, 216, extents, strides, pixels);
    assertThat(run(INIT + EXPECT + copy + await(0) + OWN, whole)).isEmpty();
    assertThat(run(INIT + EXPECT + copy + BLOCK + OWN + BLOCK + await(0), whole))
        .containsExactly(SHARED_RACE);
    assertThat(
            run(INIT + EXPECT + copy + await(0) + OWN, p -> map(p, 208, extents, strides, pixels)))
        .containsExactly(UNINITIALISED_READ);
  }

  @Test
  void aBoxThatGoesToATensorWritesIt() {
    String store =
        """
        mov.u32 %r21, 0; and.pred %p4, %p1, %p2; setp.eq.u32 %p5, %r10, 0; and.pred %p4, %p4, %p5;
        @%p4 cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd1, {%r21, %r21}], [%r2];
        cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; bar.sync 0;
        mov.u32 %r22, 0; mov.u32 %r23, 0;
        """;
    String load =
        """
        ld.global.u64 %rd6, [%rd1+8]; setp.lt.u32 %p6, %r10, 64; mad.wide.u32 %rd6, %r1, 4, %rd6;
        @%p6 ld.global.u32 %r22, [%rd6]; st.global.u32 [%rd5], %r22;
        """;
    assertThat(run(WRITE + BLOCK + store + load, p -> map(p, 0))).isEmpty();
    assertThat(run(WRITE + store + load, p -> map(p, 0))).contains(SHARED_RACE);
    assertThat(run(WRITE + BLOCK + load, p -> map(p, 0))).containsExactly(UNINITIALISED_READ);
  }

  @Test
  void anAsynchronousStoreIsWaitedFor() {
    String store =
        "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r7], 256;\n"
            + "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r5], %r1, [%r8];\n";
    assertThat(run(INIT + store + await(0) + OWN + MEET)).isEmpty();
    assertThat(run(INIT + store + MEET + OWN + await(0) + MEET)).containsExactly(SHARED_RACE);
  }

  @Test
  void aBarrierOfTheClusterOrdersGlobalMemory() {
    String write = "st.global.u32 [%rd5], %r1;\n";
    String next =
        "xor.b32 %r21, %r10, 64; mad.wide.u32 %rd6, %r21, 4, %rd2; ld.global.u32 %r22, [%rd6];"
            + " st.shared.u32 [%r4], %r22;\n";
    assertThat(run(write + MEET + next)).isEmpty();
    assertThat(run(write + BLOCK + next)).contains(GLOBAL_RACE);
  }
}
