package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.reprise.softgpu.memory.Allocation;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

/** Loads of vectors and parameters, and stores, in generated code and one by one. */
final class VectorLoadTest {
  private static final int THREADS = 64;
  private static final int WORDS = 1024;

  private static String kernel(String body) {
    return """
    .version 8.0
    .target sm_80
    .address_size 64
    .entry k(.param .u64 in, .param .u64 other, .param .u64 out, .param .align 16 .b8 given[32]) {
    .shared .align 16 .b8 sh[2048];
    .reg .pred %p<4>; .reg .b32 %r<40>; .reg .b64 %l<40>; .reg .f32 %f<40>; .reg .f64 %d<8>; .reg .b16 %h<8>;
    .reg .b32 %t, %u, %s; .reg .b64 %in, %other, %out, %a, %b;
    mov.u32 %t, %tid.x;
    ld.param.u64 %in, [in];
    ld.param.u64 %other, [other];
    ld.param.u64 %out, [out];
    mad.wide.u32 %out, %t, 16, %out;
    mul.lo.u32 %u, %t, 48; and.b32 %u, %u, 1008; mul.wide.u32 %a, %u, 4; add.s64 %a, %in, %a;
    """
        + body
        + "st.global.v4.u32 [%out], {%r0, %r1, %r2, %r3}; ret; }";
  }

  private static int[] run(String text, Execution execution, int workers) {
    return run(text, execution, workers, WORDS);
  }

  private static int[] run(String text, Execution execution, int workers, int words) {
    try (Device device = new Device(workers, execution)) {
      return Device.ints(launch(device, text, words));
    }
  }

  private static Allocation launch(Device device, String text, int words) {
    Random random = new Random(5);
    int[] in = random.ints(words).toArray();
    int[] other = random.ints(256).toArray();
    Allocation out = device.allocate(THREADS * 16L);
    byte[] given = new byte[32];
    random.nextBytes(given);
    device.launch(
        Objects.requireNonNull(device.load(text).kernel("k")),
        1,
        THREADS,
        device.of(in),
        device.of(other),
        out,
        given);
    return out;
  }

  private static void same(String body) {
    int[] want = run(kernel(body), Execution.INTERPRETED, 1);
    assertThat(run(kernel(body), Execution.COMPILED, 1)).as(body).isEqualTo(want);
    assertThat(run(kernel(body), Execution.LOOPS, 1)).as("loops: %s", body).isEqualTo(want);
    assertThat(run(kernel(body), Execution.ADAPTIVE, 1)).as(body).isEqualTo(want);
  }

  private static final String[] OPERATIONS = {
    "ld.global.v4.u32 {%r#, %r#, %r#, %r#}, [%a+$];",
    "ld.global.v2.f32 {%f#, %f#}, [%a+$];",
    "ld.global.v4.f32 {%f#, %f#, %f#, %f#}, [%a+$];",
    "ld.global.v2.u64 {%l#, %l#}, [%a+$];",
    "ld.global.v2.f64 {%d1, %d2}, [%a+$]; mov.b64 %l#, %d2;",
    "ld.v2.u32 {%r#, %r#}, [%a+$];",
    "ld.shared.v4.u32 {%r#, %r#, %r#, %r#}, [%s+$];",
    "ld.param.u32 %r#, [given+4];",
    "ld.param.v2.f32 {%f#, %f#}, [given+8];",
    "ld.param.u64 %l#, [given+16];",
    "ld.param.s8 %r#, [given+3];",
    "ld.param.u16 %h1, [given+2]; cvt.u32.u16 %r#, %h1;",
    "add.s64 %a, %in, 64;",
    "add.s32 %s, %s, 0;",
    "add.s32 %r#, %r#, %r#;",
    "xor.b32 %r#, %r#, %r#;",
    "fma.rn.f32 %f#, %f#, %f#, %f#;",
    "mov.b32 %r#, %f#;",
    "add.s64 %l#, %l#, %l#;",
    "cvt.u32.u64 %r#, %l#;",
    "st.shared.u32 [%s], %r#;",
  };

  @RepeatedTest(30)
  void loadsTheSameInGeneratedCode(RepetitionInfo repetition) {
    Random random = new Random(700L + repetition.getCurrentRepetition());
    StringBuilder body = new StringBuilder();
    body.append("shl.b32 %s, %t, 4; mov.u32 %r9, sh; add.s32 %s, %s, %r9;\n");
    for (int k = 0; k < 6; k++) {
      body.append("mov.u32 %r" + k + ", " + k + "; cvt.rn.f32.u32 %f" + k + ", %r" + k + ";");
      body.append("mul.wide.u32 %l" + k + ", %r" + k + ", 77777;\n");
    }
    body.append(
        "st.shared.v4.u32 [%s], {%t, %r1, %t, %r3}; st.shared.v4.u32 [%s+1024], {%r1, %t, %r2, %t};\n");
    for (int k = 0; k < 40; k++) {
      for (char c : OPERATIONS[random.nextInt(OPERATIONS.length)].toCharArray()) {
        body.append(
            c == '#'
                ? String.valueOf(random.nextInt(6))
                : c == '$' ? String.valueOf(16 * random.nextInt(4)) : String.valueOf(c));
      }
      body.append("\n");
    }
    body.append("mov.b32 %r1, %f0; mov.b32 %r2, %f3; xor.b32 %r3, %r3, %r4;\n");
    same(body.toString());
  }

  @Test
  void loadsThroughAnAddressThatAnEarlierLoadGave() {
    same(
        """
        st.global.u64 [%out], %a; ld.global.v2.u64 {%l1, %l2}, [%out]; ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%l1];
        add.s64 %l1, %l1, 16; ld.global.v2.u32 {%r4, %r5}, [%l1]; add.u32 %r0, %r0, %r4; add.u32 %r1, %r1, %r5;
        """);
  }

  @Test
  void loadsWhereTheLoadGivesItsOwnAddress() {
    same(
        """
        st.global.v2.u64 [%out], {%a, %in}; mov.u64 %l1, %out; ld.global.v2.u64 {%l1, %l2}, [%l1];
        ld.global.v2.u32 {%r0, %r1}, [%l1]; ld.global.v2.u32 {%r2, %r3}, [%l2];
        """);
  }

  @Test
  void loadsFromTwoAllocationsInOneWarp() {
    same(
        """
        and.b32 %r4, %t, 1; setp.eq.u32 %p1, %r4, 0; selp.b64 %a, %in, %other, %p1;
        ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%a]; ld.global.v2.u32 {%r4, %r5}, [%a+32]; add.u32 %r0, %r0, %r5;
        """);
  }

  @Test
  void loadsFromOneAllocationAfterTheOther() {
    same(
        """
        ld.global.v2.u32 {%r0, %r1}, [%a]; add.u32 %r0, %r0, %r1; mad.wide.u32 %a, %t, 8, %other;
        ld.global.v2.u32 {%r2, %r3}, [%a]; add.u32 %r1, %r2, %r3; mov.u64 %a, %in;
        ld.global.v2.u32 {%r2, %r3}, [%a+8]; add.u32 %r2, %r2, %r3;
        """);
  }

  /**
   * Lanes together, apart, in the same place, in front of the ones before, and with holes between.
   */
  @RepeatedTest(8)
  void loadsFromLanesThatLieFarApart(RepetitionInfo repetition) {
    Random random = new Random(800L + repetition.getCurrentRepetition());
    int factor = 2 * random.nextInt(1 << 20) + 1;
    int lanesTogether = 1 << random.nextInt(5);
    String body =
        String.format(
            """
            div.u32 %%r4, %%t, %d; mul.lo.u32 %%r4, %%r4, %d; and.b32 %%r4, %%r4, 32512; rem.u32 %%r5, %%t, %d;
            mul.lo.u32 %%r5, %%r5, %d; add.u32 %%r4, %%r4, %%r5; mad.wide.u32 %%a, %%r4, 4, %%in;
            ld.global.v4.u32 {%%r0, %%r1, %%r2, %%r3}, [%%a+64]; ld.global.v2.u32 {%%r4, %%r5}, [%%a+256]; add.u32 %%r0, %%r0, %%r5;
            ld.global.v2.u64 {%%l1, %%l2}, [%%a+16]; cvt.u32.u64 %%r4, %%l1; add.u32 %%r1, %%r1, %%r4;
            ld.global.v4.f32 {%%f0, %%f1, %%f2, %%f3}, [%%a]; mov.b32 %%r5, %%f3; add.u32 %%r2, %%r2, %%r5;
            """,
            lanesTogether, 4 * factor, lanesTogether, 4 * (1 + random.nextInt(6)));
    int[] want = run(kernel(body), Execution.INTERPRETED, 1, 1 << 16);
    assertThat(run(kernel(body), Execution.COMPILED, 1, 1 << 16)).as(body).isEqualTo(want);
    assertThat(run(kernel(body), Execution.LOOPS, 1, 1 << 16)).as(body).isEqualTo(want);
  }

  /** As the Vector API loads them: each lane's words after those of the lane before. */
  @RepeatedTest(12)
  void loadsWordsThatLieSideBySideInGroupsOfLanes(RepetitionInfo repetition) {
    Random random = new Random(7100 + repetition.getCurrentRepetition());
    int words = 1 << random.nextInt(3);
    int lanes = 1 << random.nextInt(2, 6);
    int apart = 4 * words * random.nextInt(1, 40);
    String to = words == 1 ? "%r0" : words == 2 ? "{%r0, %r1}" : "{%r0, %r1, %r2, %r3}";
    String floats = words == 1 ? "%f0" : words == 2 ? "{%f1, %f0}" : "{%f1, %f2, %f0, %f3}";
    String vector = words == 1 ? "" : ".v" + words;
    String body =
        """
        mov.u32 %r1, 1; mov.u32 %r2, 2; mov.u32 %r3, 3;
        div.u32 %r4, %t, LANES; rem.u32 %r5, %t, LANES; mul.lo.u32 %r4, %r4, APART; mad.lo.u32 %r4, %r5, BYTES, %r4;
        cvt.u64.u32 %l1, %r4; add.s64 %a, %in, %l1;
        ld.globalV.u32 TO, [%a+OFFSET]; ld.globalV.f32 FLOATS, [%a]; mov.b32 %r5, %f0; add.u32 %r0, %r0, %r5;
        add.s64 %a, %a, BYTES; ld.globalV.f32 FLOATS, [%a]; mov.b32 %r5, %f0; xor.b32 %r0, %r0, %r5;
        """
            .replace("LANES", String.valueOf(lanes))
            .replace("APART", String.valueOf(apart))
            .replace("BYTES", String.valueOf(4 * words))
            .replace("OFFSET", String.valueOf(4 * words * random.nextInt(5)))
            .replace("FLOATS", floats)
            .replace("TO", to)
            .replace("globalV", "global" + vector);
    int[] want = run(kernel(body), Execution.INTERPRETED, 1, 1 << 16);
    assertThat(run(kernel(body), Execution.COMPILED, 1, 1 << 16)).as(body).isEqualTo(want);
    assertThat(run(kernel(body), Execution.LOOPS, 1, 1 << 16)).as(body).isEqualTo(want);
  }

  /** The lanes of the second load lie apart, those of the first one side by side. */
  @Test
  void looksAtAddressesAgainOnceTheyHaveChanged() {
    same(
        """
        mad.wide.u32 %a, %t, 4, %in; ld.global.u32 %r0, [%a]; mad.wide.u32 %a, %t, 12, %in;
        ld.global.u32 %r1, [%a]; mov.u32 %r2, 0; mov.u32 %r3, 0;
        """);
  }

  @Test
  void loadsByAnAddressThatWasLoadedByItself() {
    same(
        """
        mov.u32 %s, sh; mad.lo.u32 %r4, %t, 4, %s; mul.lo.u32 %r5, %t, 20; and.b32 %r5, %r5, 252; add.u32 %r5, %r5, %s;
        st.shared.u32 [%r4], %r5; bar.sync 0; mov.b32 %r6, %r4;
        ld.shared.u32 %r6, [%r6]; ld.shared.u32 %r6, [%r6]; sub.u32 %r0, %r6, %s; mov.u32 %r1, 0; mov.u32 %r2, 0; mov.u32 %r3, 0;
        """);
  }

  /** Words that lie side by side for one of the widths only. */
  @Test
  void loadsOfSeveralWidthsByOneAddress() {
    same(
        """
        mad.wide.u32 %a, %t, 16, %in; ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%a]; ld.global.u32 %r4, [%a+16]; add.u32 %r0, %r0, %r4;
        mad.wide.u32 %b, %t, 4, %in; ld.global.u32 %r4, [%b]; xor.b32 %r1, %r1, %r4;
        """);
  }

  /** Each thread then reads what another has stored. */
  @Test
  void storesWordsThatLieSideBySide() {
    same(
        """
        mov.u32 %s, sh; mad.lo.u32 %r4, %t, 4, %s; mad.lo.u32 %r5, %t, 77, 13; st.shared.u32 [%r4], %r5;
        mad.wide.u32 %b, %t, 4, %other; add.u32 %r6, %r5, 1; st.global.u32 [%b], %r6; cvt.rn.f32.u32 %f1, %r5; mul.f32 %f1, %f1, 0f7f000000;
        sub.f32 %f1, %f1, %f1; ld.global.u32 %r3, [%b]; st.global.f32 [%b+512], %f1;
        bar.sync 0; xor.b32 %u, %t, 37; mad.lo.u32 %r4, %u, 4, %s; mul.wide.u32 %b, %u, 4; add.s64 %b, %b, %other;
        ld.shared.u32 %r0, [%r4]; ld.global.u32 %r1, [%b]; ld.global.u32 %r2, [%b+512];
        """);
  }

  @Test
  void storesWhereNothingLiesSideBySide() {
    same(
        """
        mul.lo.u32 %r4, %t, 3; mad.wide.u32 %b, %r4, 4, %other; st.global.u32 [%b], %t; mul.lo.u32 %r5, %t, 5;
        bar.sync 0; xor.b32 %u, %t, 9; mul.lo.u32 %r4, %u, 3; mad.wide.u32 %b, %r4, 4, %other; ld.global.u32 %r0, [%b];
        mov.u32 %r1, 0; mov.u32 %r2, 0; mov.u32 %r3, %r5;
        """);
  }

  @Test
  void loadsWithHalfOfTheLanes() {
    same(
        """
        mov.u32 %r0, 1; mov.u32 %r1, 2; mov.u32 %r2, 3; mov.u32 %r3, 4;
        setp.lt.u32 %p1, %t, 7; @%p1 bra SKIP;
        ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%a]; add.u32 %r1, %r1, %r0;
        SKIP: add.u32 %r0, %r0, %r1;
        """);
  }

  /** The first vector of the last thread ends with the allocation. */
  @Test
  void namesTheLaneThatReadsBeyondTheEndWhateverTheExecution() {
    faults(
        "mad.wide.u32 %a, %t, 48, %in; ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%a]; add.u32 %r0,"
            + " %r0, %r1; ld.global.v2.u32 {%r4, %r5}, [%a+16]; add.u32 %r0, %r0, %r5;",
        63 * 12 + 4, "ld.global.v2");
  }

  @Test
  void namesTheLaneWhoseLaterWordIsBeyondTheEnd() {
    faults(
        "mad.wide.u32 %a, %t, 4, %in; ld.global.u32 %r0, [%a]; ld.global.u32 %r1, [%a+8]; add.u32"
            + " %r0, %r0, %r1;",
        65, "ld.global.u32");
  }

  @Test
  void namesTheLaneThatStoresBeyondTheEnd() {
    faults(
        "mad.wide.u32 %a, %t, 4, %in; st.global.u32 [%a], %t; st.global.u32 [%a+8], %t; mov.u32 %r0,"
            + " 1;",
        65, "st.global.u32");
  }

  private static void faults(String body, int words, String instruction) {
    List<String> messages = new ArrayList<>();
    for (Execution e : Execution.values()) {
      try (Device device = new Device(1, e)) {
        DeviceFault fault =
            catchThrowableOfType(DeviceFault.class, () -> launch(device, kernel(body), words));
        messages.add(fault.cudaError() + " " + fault.getMessage());
      }
    }
    assertThat(messages.getFirst()).contains("thread (63, 0, 0)").contains(instruction);
    assertThat(messages).containsOnly(messages.getFirst());
  }
}
