package dev.reprise.softgpu.sanitizer;

import static dev.reprise.softgpu.sanitizer.ReportKind.SHARED_RACE;
import static dev.reprise.softgpu.sanitizer.ReportKind.STREAM_RACE;
import static dev.reprise.softgpu.sanitizer.ReportKind.UNINITIALISED_READ;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Test;

/**
 * Memory instructions beyond plain loads and stores are seen: each with a mistake that is found,
 * and without.
 */
class InstructionCoverageTest {

  private static final SanitizerOptions OPTIONS =
      new SanitizerOptions(SanitizerLevel.FULL, Set.of(ReportKind.LEAK), 100, 0);

  /** Numbers in each buffer. */
  private static final int N = 1024;

  /** Two warps; each thread has four bytes of a tile, where its neighbour is the next thread. */
  private static final String START =
      """
      .version 9.0
      .target sm_90
      .address_size 64
      .visible .entry probe(.param .u64 in, .param .u64 out) {
      .reg .b32 %r<40>; .reg .b64 %rd<10>; .reg .f32 %f<10>; .reg .pred %p<4>; .reg .b128 %q<3>;
      .shared .align 16 .b8 tile[4096];
      ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out];
      mov.u32 %r1, %tid.x; mov.u32 %r2, tile;
      shl.b32 %r3, %r1, 2; cvt.u64.u32 %rd3, %r3;
      add.u32 %r4, %r2, %r3;
      add.u32 %r5, %r1, 1; and.b32 %r5, %r5, 63; shl.b32 %r5, %r5, 2; add.u32 %r5, %r5, %r2;
      add.u64 %rd4, %rd1, %rd3; add.u64 %rd5, %rd2, %rd3;
      """;

  /** Everything is written in memory; nothing is in shared memory. */
  private static List<ReportKind> run(String body) {
    return run(body, p -> p.filled(N));
  }

  private static List<ReportKind> run(String body, ToLongFunction<SanitizedProgram> input) {
    return run(64, body, input);
  }

  private static List<ReportKind> run(
      int threads, String body, ToLongFunction<SanitizedProgram> input) {
    return kinds(p -> {
      p.load(START + body + "\nret; }");
      long stream = p.stream();
      p.launch("probe", 1, threads, 0, stream, input.applyAsLong(p), p.filled(N));
      p.sync(stream);
    });
  }

  static List<ReportKind> kinds(Consumer<SanitizedProgram> body) {
    SanitizedProgram program = new SanitizedProgram(OPTIONS);
    body.accept(program);
    program.close();
    return program.reports().stream().map(Report::kind).distinct().toList();
  }

  private static final String COPY = "cp.async.ca.shared.global [%r4], [%rd4], 4;\n";
  private static final String WAIT = "cp.async.commit_group; cp.async.wait_group 0;\n";
  private static final String BARRIER = "bar.sync 0;\n";
  private static final String OWN = "ld.shared.u32 %r6, [%r4]; st.global.u32 [%rd5], %r6;\n";
  private static final String NEIGHBOUR = "ld.shared.u32 %r6, [%r5]; st.global.u32 [%rd5], %r6;\n";

  @Test
  void anAsynchronousCopyIsWaitedForByItsThread() {
    assertThat(run(COPY + OWN)).containsExactly(SHARED_RACE);
    assertThat(run(COPY + WAIT + OWN)).isEmpty();
  }

  @Test
  void aBarrierAloneDoesNotBringAnAsynchronousCopy() {
    assertThat(run(COPY + BARRIER + NEIGHBOUR)).containsExactly(SHARED_RACE);
    assertThat(run(COPY + "cp.async.commit_group;" + BARRIER + NEIGHBOUR))
        .containsExactly(SHARED_RACE);
    assertThat(run(COPY + WAIT + BARRIER + NEIGHBOUR)).isEmpty();
  }

  @Test
  void aWaitForAnAsynchronousCopyIsNoBarrier() {
    // The neighbour in the other warp may not have begun.
    assertThat(run(COPY + WAIT + NEIGHBOUR)).contains(SHARED_RACE);
    assertThat(run(COPY + BARRIER + WAIT + NEIGHBOUR)).containsExactly(SHARED_RACE);
  }

  @Test
  void lanesOfOneWarpSynchroniseAfterTheyHaveWaited() {
    String other = "xor.b32 %r5, %r1, 1; shl.b32 %r5, %r5, 2; add.u32 %r5, %r5, %r2;\n" + NEIGHBOUR;
    String waited = COPY + BARRIER + WAIT;
    assertThat(run(32, waited + other, p -> p.filled(N))).containsExactly(SHARED_RACE);
    assertThat(run(32, waited + "bar.warp.sync 0xffffffff;\n" + other, p -> p.filled(N))).isEmpty();
  }

  @Test
  void anAsynchronousCopyMayNotOverwriteOneUnderWay() {
    assertThat(run(COPY + COPY + WAIT)).containsExactly(SHARED_RACE);
    assertThat(run(COPY + WAIT + COPY + WAIT + OWN)).isEmpty();
    assertThat(run(COPY + "st.shared.u32 [%r4], %r1;\n" + WAIT)).containsExactly(SHARED_RACE);
  }

  @Test
  void theLatestGroupMayStillBeUnderWay() {
    String two =
        COPY
            + "cp.async.commit_group;\n"
            + "cp.async.ca.shared.global [%r4+1024], [%rd4], 4; cp.async.commit_group;\n"
            + "cp.async.wait_group 1;\n";
    assertThat(run(two + OWN + "cp.async.wait_all;\n")).isEmpty();
    assertThat(run(two + "ld.shared.u32 %r6, [%r4+1024]; st.global.u32 [%rd5], %r6;\n"))
        .containsExactly(SHARED_RACE);
  }

  @Test
  void aBarrierInMemoryBringsTheCopiesThatItTracks() {
    String tracked =
        """
        .shared .align 8 .b64 done; .reg .b64 %state;
        mov.u32 %r7, done; setp.eq.u32 %p1, %r1, 0;
        @%p1 mbarrier.init.shared.b64 [%r7], 64;
        bar.sync 0;
        cp.async.ca.shared.global [%r4], [%rd4], 4;
        cp.async.mbarrier.arrive.noinc.shared.b64 [%r7];
        """;
    String wait =
        """
        AGAIN: mbarrier.test_wait.parity.shared.b64 %p2, [%r7], 0;
        @!%p2 bra AGAIN;
        """;
    assertThat(run(tracked + wait + NEIGHBOUR)).isEmpty();
    assertThat(run(tracked + NEIGHBOUR + wait)).contains(SHARED_RACE);
  }

  @Test
  void theSourceOfAnAsynchronousCopyMustBeWritten() {
    assertThat(run(COPY + WAIT + OWN, p -> p.allocate(N))).containsExactly(UNINITIALISED_READ);
  }

  @Test
  void soMustTheMiddleOfAPartOfIt() {
    String part = "mov.u32 %r7, 3; cp.async.ca.shared.global [%r4], [%rd1], 4, %r7;\n" + WAIT;
    assertThat(
            run(
                part,
                p -> {
                  long memory = p.allocate(N);
                  p.ok("cuMemsetD8_v2", memory, (byte) 1, 1L);
                  p.ok("cuMemsetD8_v2", memory + 2, (byte) 1, 1L);
                  return memory;
                }))
        .containsExactly(UNINITIALISED_READ);
    assertThat(
            run(
                part,
                p -> {
                  long memory = p.allocate(N);
                  p.ok("cuMemsetD8_v2", memory, (byte) 1, 3L);
                  return memory;
                }))
        .isEmpty();
  }

  private static final String ROWS =
      "and.b32 %r8, %r1, 7; shl.b32 %r8, %r8, 4; add.u32 %r8, %r8, %r2;\n";

  @Test
  void matricesAreLoadedFromWhatWasWritten() {
    String load =
        ROWS
            + "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r9}, [%r8]; st.global.u32 [%rd5], %r9;\n";
    assertThat(run(load)).containsExactly(UNINITIALISED_READ);
    String store = "st.shared.u32 [%r4], %r1;\n";
    assertThat(run(store + BARRIER + load)).isEmpty();
    assertThat(run(store + load)).containsExactly(SHARED_RACE);
  }

  @Test
  void storedMatricesNeedABarrierBeforeOthersReadThem() {
    String store =
        ROWS
            + "mov.u32 %r9, 5; setp.lt.u32 %p1, %r1, 32; @!%p1 bra AFTER;\n"
            + "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r8], {%r9};\nAFTER:\n";
    String load =
        "and.b32 %r10, %r3, 127; add.u32 %r10, %r10, %r2; ld.shared.u32 %r6, [%r10];"
            + " st.global.u32 [%rd5], %r6;\n";
    assertThat(run(store + BARRIER + load)).isEmpty();
    assertThat(run(store + load)).contains(SHARED_RACE);
  }

  @Test
  void fragmentsAreLoadedFromWhatWasWritten() {
    String load =
        "wmma.load.a.sync.aligned.row.m16n16k16.global.f16"
            + " {%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}, [%rd1], 16;\n"
            + "xor.b32 %r10, %r10, %r17; st.global.u32 [%rd5], %r10;\n";
    assertThat(run(load)).isEmpty();
    assertThat(run(load, p -> p.allocate(N))).containsExactly(UNINITIALISED_READ);
  }

  @Test
  void storedFragmentsNeedABarrierBeforeOthersReadThem() {
    String store =
        "mov.f32 %f1, 0f00000000; setp.lt.u32 %p1, %r1, 32; @!%p1 bra AFTER;\n"
            + "wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [%r2],"
            + " {%f1, %f1, %f1, %f1, %f1, %f1, %f1, %f1}, 16;\nAFTER:\n";
    assertThat(run(store + BARRIER + OWN)).isEmpty();
    assertThat(run(store + OWN)).contains(SHARED_RACE);
  }

  private static final String VECTOR =
      "mov.f32 %f1, 0f3F800000; red.global.add.v4.f32 [%rd1], {%f1, %f1, %f1, %f1};\n";

  @Test
  void updatesOfVectorsReadWhatIsThere() {
    assertThat(run(VECTOR)).isEmpty();
    assertThat(
            run(
                VECTOR,
                p -> {
                  long memory = p.allocate(N);
                  p.ok("cuMemsetD32_v2", memory, 0, 3L);
                  return memory;
                }))
        .containsExactly(UNINITIALISED_READ);
  }

  @Test
  void updatesOf128BitsReadWhatIsThere() {
    String update =
        "mov.u64 %rd6, 1; mov.b128 %q1, {%rd6, %rd6}; atom.global.exch.b128 %q2, [%rd1], %q1;\n";
    assertThat(run(update)).isEmpty();
    assertThat(run(update, p -> p.allocate(N))).containsExactly(UNINITIALISED_READ);
  }

  @Test
  void updatesOfVectorsAndOrdinaryWritesNeedAnOrder() {
    assertThat(kinds(p -> updateBesideAFill(p, 12))).containsExactly(STREAM_RACE);
    assertThat(kinds(p -> updateBesideAFill(p, 16))).as("behind the vector").isEmpty();
  }

  private static void updateBesideAFill(SanitizedProgram p, int offset) {
    p.load(START + VECTOR + "ret; }");
    long one = p.stream();
    long two = p.stream();
    long memory = p.filled(N);
    long out = p.filled(N);
    p.launch("probe", 1, 64, 0, one, memory, out);
    p.set(memory + offset, 0, 1, two);
    p.sync(one);
    p.sync(two);
  }
}
