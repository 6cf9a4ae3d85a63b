package dev.reprise.softgpu.sanitizer;

import static dev.reprise.softgpu.sanitizer.InstructionCoverageTest.kinds;
import static dev.reprise.softgpu.sanitizer.ReportKind.GLOBAL_RACE;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * One thread stores a word and tells another one by a flag, which waits for it and loads the word:
 * which instructions order the two, by the PTX memory model.
 */
class FenceCoverageTest {

  private static final String TELL = "st.release.gpu.global.u32 [%flag], 1;";
  private static final String LOOK = "ld.acquire.gpu.global.u32 %seen, [%flag];";

  private static final String START =
      """
      .version 9.0
      .target sm_90
      .address_size 64
      .visible .entry probe(.param .u64 data, .param .u64 flag, .param .u64 out) {
      .reg .b32 %me, %seen, %word, %at, %state<3>; .reg .b64 %data, %flag, %out, %token;
      .reg .pred %waits, %again;
      .shared .align 8 .b64 done;
      ld.param.u64 %data, [data]; ld.param.u64 %flag, [flag]; ld.param.u64 %out, [out];
      """;

  private static List<ReportKind> told(String tell, String look, String behind) {
    return run(2, 1, exchange(tell, look, behind));
  }

  /** The second block tells the first one. */
  private static String exchange(String tell, String look, String behind) {
    return """
    mov.u32 %%me, %%ctaid.x; setp.eq.u32 %%waits, %%me, 0;
    @%%waits bra WAIT;
    st.global.u32 [%%data], 7;
    %s
    ret;
    WAIT:
    %s
    setp.eq.u32 %%again, %%seen, 0;
    @%%again bra WAIT;
    %s
    ld.global.u32 %%word, [%%data]; st.global.u32 [%%out], %%word;
    """
        .formatted(tell, look, behind);
  }

  private static List<ReportKind> run(int blocks, int threads, String body) {
    return kinds(p -> launch(p, blocks, threads, body));
  }

  private static void launch(SanitizedProgram p, int blocks, int threads, String body) {
    p.load(START + body + "ret; }");
    long stream = p.stream();
    long words = p.allocate(3);
    p.set(words, 0, 3, stream);
    p.launch("probe", blocks, threads, 0, stream, words, words + 4, words + 8);
    p.sync(stream);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "st.release.gpu.global.u32 [%flag], 1;",
        "st.release.sys.u32 [%flag], 1;",
        "st.release.cluster.global.u32 [%flag], 1;",
        "red.release.gpu.global.add.u32 [%flag], 1;",
        "atom.acq_rel.sys.global.exch.b32 %seen, [%flag], 1;",
        "atom.add.release.gpu.u32 %seen, [%flag], 1;",
        "fence.acq_rel.gpu; st.relaxed.gpu.global.u32 [%flag], 1;",
        "fence.release.gpu; st.relaxed.gpu.global.u32 [%flag], 1;",
        "fence.sc.sys; red.global.add.u32 [%flag], 1;",
        "membar.gl; st.volatile.global.u32 [%flag], 1;",
        "membar.sys; atom.global.exch.b32 %seen, [%flag], 1;",
        "fence.acq_rel.gpu; fence.acq_rel.cta; st.relaxed.gpu.global.u32 [%flag], 1;"
      })
  void passesOnWhatWasStored(String tell) {
    assertThat(told(tell, LOOK, "")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "st.global.u32 [%flag], 1;",
        "fence.acq_rel.gpu; st.global.u32 [%flag], 1;",
        "st.relaxed.gpu.global.u32 [%flag], 1;",
        "st.volatile.global.u32 [%flag], 1;",
        "red.global.add.u32 [%flag], 1;",
        "st.release.cta.global.u32 [%flag], 1;",
        "atom.acq_rel.cta.global.exch.b32 %seen, [%flag], 1;",
        "atom.acquire.gpu.global.exch.b32 %seen, [%flag], 1;",
        "fence.acq_rel.cta; st.relaxed.gpu.global.u32 [%flag], 1;",
        "fence.acq_rel.gpu; st.relaxed.cta.global.u32 [%flag], 1;",
        "fence.acquire.gpu; st.relaxed.gpu.global.u32 [%flag], 1;",
        "fence.proxy.async; st.relaxed.gpu.global.u32 [%flag], 1;",
        "membar.cta; st.volatile.global.u32 [%flag], 1;",
        "st.volatile.global.u32 [%flag], 1; membar.gl;"
      })
  void doesNotPassItOn(String tell) {
    assertThat(told(tell, LOOK, "")).containsExactly(GLOBAL_RACE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ld.acquire.gpu.global.u32 %seen, [%flag];",
        "ld.acquire.sys.u32 %seen, [%flag];",
        "atom.acquire.gpu.global.or.b32 %seen, [%flag], 0;",
        "atom.acq_rel.gpu.global.or.b32 %seen, [%flag], 0;",
        "ld.relaxed.gpu.global.u32 %seen, [%flag]; fence.acq_rel.gpu;",
        "ld.relaxed.gpu.global.u32 %seen, [%flag]; fence.acquire.gpu;",
        "ld.volatile.global.u32 %seen, [%flag]; membar.gl;",
        "ld.relaxed.sys.global.u32 %seen, [%flag]; fence.sc.sys;",
        "atom.global.or.b32 %seen, [%flag], 0; membar.gl;"
      })
  void comesBehindWhatItHasSeen(String look) {
    assertThat(told(TELL, look, "")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ld.relaxed.gpu.global.u32 %seen, [%flag];",
        "ld.volatile.global.u32 %seen, [%flag];",
        "atom.global.or.b32 %seen, [%flag], 0;",
        "ld.acquire.cta.global.u32 %seen, [%flag];",
        "ld.relaxed.gpu.global.u32 %seen, [%flag]; fence.acq_rel.cta;",
        "ld.relaxed.gpu.global.u32 %seen, [%flag]; fence.release.gpu;",
        "ld.relaxed.cta.global.u32 %seen, [%flag]; fence.acq_rel.gpu;",
        "ld.relaxed.gpu.global.u32 %seen, [%flag]; fence.proxy.async;"
      })
  void doesNotComeBehindIt(String look) {
    assertThat(told(TELL, look, "")).containsExactly(GLOBAL_RACE);
  }

  @Test
  void oneFenceBehindTheLoopIsEnough() {
    String look = "ld.relaxed.gpu.global.u32 %seen, [%flag];";
    assertThat(told(TELL, look, "fence.acq_rel.gpu;")).isEmpty();
    assertThat(told(TELL, look, "bar.sync 0;")).containsExactly(GLOBAL_RACE);
  }

  /** The store comes behind a look at the flag, but a look tells nobody anything. */
  @Test
  void aLoadPassesNothingOn() {
    String first = "ld.global.u32 %word, [%data]; st.global.u32 [%out], %word; fence.sc.gpu;\n";
    String second = "\nfence.sc.gpu; st.global.u32 [%data], 7;\n";
    String load = "ld.relaxed.gpu.global.u32 %seen, [%flag];";
    String update = "atom.global.or.b32 %seen, [%flag], 0;";
    assertThat(oneByOne(first + load, update + second)).containsExactly(GLOBAL_RACE);
    assertThat(oneByOne(first + update, update + second)).isEmpty();
  }

  private static List<ReportKind> oneByOne(String first, String second) {
    return run(
        2,
        1,
        """
        mov.u32 %%me, %%ctaid.x; setp.eq.u32 %%waits, %%me, 1;
        @%%waits bra SECOND;
        %s
        ret;
        SECOND:
        %s
        """
            .formatted(first, second));
  }

  /** A barrier in shared memory orders global memory, too. */
  @Test
  void aBarrierInMemoryOrdersTheWarpsOfABlock() {
    String init =
        """
        mov.u32 %me, %tid.x; mov.u32 %at, done; setp.eq.u32 %waits, %me, 0;
        @%waits mbarrier.init.shared.b64 [%at], 1;
        bar.sync 0;
        setp.lt.u32 %waits, %me, 32;
        @%waits bra WAIT;
        setp.ne.u32 %waits, %me, 32;
        @%waits ret;
        """;
    String arrive = "mbarrier.arrive.shared.b64 %token, [%at];\n";
    String store = "st.global.u32 [%data], 7;\n";
    String wait =
        """
        ret;
        WAIT:
        mbarrier.test_wait.parity.shared.b64 %again, [%at], 0;
        @!%again bra WAIT;
        setp.ne.u32 %waits, %me, 0;
        @%waits ret;
        ld.global.u32 %word, [%data]; st.global.u32 [%out], %word;
        """;
    assertThat(run(1, 64, init + store + arrive + wait)).isEmpty();
    assertThat(run(1, 64, init + arrive + store + wait)).containsExactly(GLOBAL_RACE);
  }

  @Test
  void theReportSaysThatTheFenceBehindIsTheMissingOne() {
    String seen = "no fence behind the atomic or other strong access";
    String load = "ld.relaxed.gpu.global.u32 %seen, [%flag];";
    assertThat(what(TELL, load)).contains(seen);
    assertThat(what("st.relaxed.gpu.global.u32 [%flag], 1;", load)).doesNotContain(seen);
  }

  private static String what(String tell, String look) {
    SanitizedProgram program = new SanitizedProgram(SanitizerOptions.parse("full,-leak"));
    launch(program, 2, 1, exchange(tell, look, ""));
    program.close();
    return program.reports().getFirst().what();
  }
}
