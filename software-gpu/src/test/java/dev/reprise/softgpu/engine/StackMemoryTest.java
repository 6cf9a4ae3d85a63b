package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.softgpu.memory.Allocation;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Memory that {@code alloca} takes from the stack of a thread. */
final class StackMemoryTest {
  private final Device device = new Device(1);

  @AfterEach
  void close() {
    device.close();
  }

  /** Every thread runs the body, which leaves a number in {@code %r0}. */
  private int[] run(Execution execution, String functions, String body, int threads) {
    String text =
        Kernels.text(
            functions, ".param .u64 out", Kernels.OWN_SLOT + body + "\nst.global.u32 [%rd1], %r0;");
    KernelCode code = Objects.requireNonNull(device.load(text).kernel("k"));
    Allocation out = device.allocate(4L * threads);
    try (Engine engine = new Engine(device.memory, 1, execution)) {
      Device.launch(engine, code, Dim3.of(1), Dim3.of(threads), 0, out);
    }
    return Device.ints(out);
  }

  private int[] run(String body, int threads) {
    return run(Execution.INTERPRETED, "", body, threads);
  }

  /** Thread t fills t + 1 numbers twice and sums a product of both. */
  @ParameterizedTest
  @EnumSource(Execution.class)
  void givesEachThreadMemoryOfItsOwn(Execution execution) {
    String body =
        """
        .local .align 4 .b32 other; mov.u32 %r3, 77; st.local.u32 [other], %r3;
        mov.u32 %r20, %tid.x; add.u32 %r21, %r20, 1; mul.wide.u32 %rd3, %r21, 4;
        alloca.u64 %rd4, %rd3; alloca.u64 %rd5, %rd3, 16; mov.u32 %r22, 0;
        FILL: mul.wide.u32 %rd6, %r22, 4; add.u64 %rd7, %rd4, %rd6; add.u64 %rd8, %rd5, %rd6;
        mad.lo.u32 %r23, %r22, 3, %r20; st.local.u32 [%rd7], %r23; st.local.u32 [%rd8], %r22;
        add.u32 %r22, %r22, 1; setp.lt.u32 %p1, %r22, %r21; @%p1 bra FILL;
        ld.local.u32 %r0, [other]; mov.u32 %r22, 0; cvta.local.u64 %rd9, %rd4;
        SUM: mul.wide.u32 %rd6, %r22, 4; add.u64 %rd7, %rd9, %rd6; add.u64 %rd8, %rd5, %rd6;
        ld.u32 %r23, [%rd7]; ld.local.u32 %r24, [%rd8]; mad.lo.u32 %r0, %r23, %r24, %r0;
        add.u32 %r22, %r22, 1; setp.lt.u32 %p1, %r22, %r21; @%p1 bra SUM;
        """;
    int[] got = run(execution, "", body, 70);
    for (int t = 0; t < got.length; t++) {
      int want = 77;
      for (int i = 0; i <= t; i++) {
        want += (3 * i + t) * i;
      }
      assertThat(got[t]).as("thread %d", t).isEqualTo(want);
    }
  }

  @Test
  void alignsWhatItGives() {
    int[] alignments = {0, 1, 16, 256, 4096};
    for (int alignment : alignments) {
      int want = Math.max(8, alignment);
      String last = alignment == 0 ? "" : ", " + alignment;
      int[] got =
          run("alloca.u64 %rd3, 3; alloca.u64 %rd3, 5" + last + "; cvt.u32.u64 %r0, %rd3;", 1);
      assertThat(got[0] % want).as("alignment %d of %d", alignment, got[0]).isZero();
      assertThat(got[0]).isPositive();
    }
  }

  @Test
  void givesBackWhatWasTakenSinceItWasSaved() {
    String loop =
        """
        mov.u32 %r2, 0;
        L: stacksave.TYPE S; alloca.TYPE P, 1024; mov.u32 %r3, %r2; st.local.u32 [P], %r3;
        ld.local.u32 %r0, [P]; RESTORE add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 1000; @%p1 bra L;
        """;
    for (String type : new String[] {"u64", "u32"}) {
      String registers = type.equals("u64") ? "%rd" : "%r";
      String body =
          loop.replace("TYPE", type)
              .replace("S;", registers + "30;")
              .replace("P", registers + "31");
      String restore = "stackrestore." + type + " " + registers + "30;";
      assertThat(run(body.replace("RESTORE", restore), 3)).containsOnly(999);
      String without = body.replace("RESTORE", "");
      assertThatThrownBy(() -> run(without, 3))
          .isInstanceOfSatisfying(DeviceFault.class, e -> assertThat(e.cudaError()).isEqualTo(714))
          .hasMessageContaining("stack overflow: alloca." + type + " of 1024 bytes");
    }
  }

  private static final String INLINED =
      """
      .func (.param .b32 r) f(.param .b32 n) {
      .reg .u32 %n; .reg .u64 %p; .reg .pred %q; ld.param.u32 %n, [n];
      { alloca.u64 %p, 2000; } st.local.u32 [%p], %n; setp.lt.u32 %q, %n, 5;
      st.param.b32 [r], %n; @%q ret; ld.local.u32 %n, [%p]; add.u32 %n, %n, 1;
      st.param.b32 [r], %n; ret; }
      """;

  /** Half of the calls are left in the middle; some lanes do not call at all. */
  @ParameterizedTest
  @EnumSource(Execution.class)
  void endsWithTheFunction(Execution execution) {
    String body =
        """
        mov.u32 %r2, 0; mov.u32 %r0, 0; mov.u32 %r4, %tid.x; setp.ne.u32 %p2, %r4, 7;
        alloca.u64 %rd20, 8; st.local.u32 [%rd20], %r4;
        L: and.b32 %r3, %r2, 7; { .param .b32 a; .param .b32 b; st.param.b32 [a], %r3;
        st.param.b32 [b], 0; @%p2 call (b), f, (a); ld.param.b32 %r3, [b]; }
        add.u32 %r0, %r0, %r3; add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 80; @%p1 bra L;
        ld.local.u32 %r5, [%rd20]; add.u32 %r0, %r0, %r5;
        """;
    int[] got = run(execution, INLINED, body, 40);
    for (int t = 0; t < got.length; t++) {
      int want = 10 * (0 + 1 + 2 + 3 + 4 + 6 + 7 + 8);
      assertThat(got[t]).as("thread %d", t).isEqualTo(t + (t == 7 ? 0 : want));
    }
  }

  private static final String RECURSIVE =
      """
      .func (.param .b32 r) f(.param .b32 n);
      .func (.param .b32 r) f(.param .b32 n) {
      .reg .u32 %n, %m, %k; .reg .u64 %p, %s; .reg .pred %q;
      .local .align 4 .b32 own; .param .b32 x; .param .b32 y;
      ld.param.u32 %n, [n]; st.local.u32 [own], %n; mul.wide.u32 %s, %n, SIZE;
      add.u64 %s, %s, 8; alloca.u64 %p, %s; st.local.u32 [%p], %n; st.local.u32 [%p+4], %n;
      mov.u32 %m, 0; setp.eq.u32 %q, %n, 0; @%q bra E;
      sub.u32 %k, %n, 1; st.param.b32 [x], %k; call (y), f, (x); ld.param.b32 %m, [y];
      E: ld.local.u32 %n, [%p]; add.u32 %m, %m, %n; ld.local.u32 %n, [%p+4]; add.u32 %m, %m, %n;
      ld.local.u32 %n, [own]; add.u32 %m, %m, %n; st.param.b32 [r], %m; ret; }
      """;

  private static final String CALL =
      """
      mov.u32 %r2, %tid.x; alloca.u64 %rd20, 4; st.local.u32 [%rd20], %r2; mov.u32 %r4, 0;
      L: { .param .b32 a; .param .b32 b; st.param.b32 [a], %r2; call (b), f, (a);
      ld.param.b32 %r0, [b]; }
      add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 4; @%p1 bra L;
      ld.local.u32 %r3, [%rd20]; add.u32 %r0, %r0, %r3;
      """;

  @Test
  void staysWithEachActivationOfAFunction() {
    int[] got = run(Execution.ADAPTIVE, RECURSIVE.replace("SIZE", "4"), CALL, 50);
    for (int t = 0; t < got.length; t++) {
      assertThat(got[t]).as("thread %d", t).isEqualTo(3 * t * (t + 1) / 2 + t);
    }
  }

  /** Frames of functions and what they allocate grow towards each other. */
  @Test
  void endsWhereFramesBegin() {
    assertThatThrownBy(() -> run(Execution.INTERPRETED, RECURSIVE.replace("SIZE", "100"), CALL, 32))
        .isInstanceOfSatisfying(DeviceFault.class, e -> assertThat(e.cudaError()).isEqualTo(714))
        .hasMessageContaining("stack overflow");
    String modest =
        RECURSIVE
            .replace("SIZE", "0")
            .replace("alloca.u64 %p, %s; ", "")
            .replaceAll("st.local.u32 \\[%p(\\+4)?\\], %n; ", "")
            .replaceAll("ld.local.u32 %n, \\[%p(\\+4)?\\];", "");
    assertThat(run(Execution.INTERPRETED, modest, CALL, 32)).hasSize(32);
    String greedy = "alloca.u64 %rd21, 16000; " + CALL;
    assertThatThrownBy(() -> run(Execution.INTERPRETED, modest, greedy, 32))
        .isInstanceOfSatisfying(DeviceFault.class, e -> assertThat(e.cudaError()).isEqualTo(714))
        .hasMessageContaining("stack overflow: ");
  }

  private static int reversed(int[] from, int at, int n) {
    int sum = 0;
    for (int i = n - 1; i >= 0; i--) {
      sum = sum * 3 + from[at + i];
    }
    return sum;
  }

  private static int tree(int depth, int width) {
    int[] found = new int[width];
    for (int i = 0; i < width; i++) {
      found[i] = depth == 1 ? 1 + i : tree(depth - 1, width) + i;
    }
    return reversed(found, 0, width);
  }

  /** What nvcc makes of {@code alloca}: inlined, in a function, and in one that calls itself. */
  @ParameterizedTest
  @ValueSource(strings = {"90", "100"})
  void runsWhatCompilersMakeOfIt(String architecture) {
    LoadedModule module = device.loadResource("stack_" + architecture + ".ptx");
    KernelCode code = Objects.requireNonNull(module.kernel("stack"));
    int threads = 2 * 48;
    int n = 11;
    int[] values = new int[2 * threads];
    for (int i = 0; i < threads; i++) {
      values[i] = i * i % 31;
    }
    Allocation memory = device.of(values);
    device.launch(code, 2, 48, memory, n, 40);
    int[] got = Device.ints(memory);
    for (int t = 0; t < threads; t++) {
      int[] squares = new int[n + t % 5];
      for (int i = 0; i < squares.length; i++) {
        squares[i] = i * i;
      }
      int round = reversed(squares, 0, squares.length) + reversed(values, t % 7, n);
      assertThat(got[threads + t]).as("thread %d", t).isEqualTo(40 * round + tree(3, 2 + t % 2));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"-1", "0x7fffffffffffffff", "17000", "16392"})
  void refusesMoreThanThereIs(String size) {
    String body =
        """
        .local .align 4 .b32 other[16]; mov.u64 %rd2, SIZE; mov.u64 %rd3, other; mov.u32 %r0, 5;
        alloca.u64 %rd3, %rd2; st.local.u32 [%rd3], %r0;
        """;
    assertThat(run(body.replace("SIZE", "16384"), 3)).containsOnly(5);
    assertThatThrownBy(() -> run(body.replace("SIZE", size), 3))
        .isInstanceOfSatisfying(DeviceFault.class, e -> assertThat(e.cudaError()).isEqualTo(714))
        .hasMessageContaining("where 16384 of 16448 bytes of local memory are left");
  }

  @Test
  void restoresOnlyWhatCanHaveBeenSaved() {
    assertThatThrownBy(
            () -> run("mov.u64 %rd2, 0x100000; stacksave.u64 %rd3; stackrestore.u64 %rd2;", 1))
        .isInstanceOfSatisfying(DeviceFault.class, e -> assertThat(e.cudaError()).isEqualTo(714))
        .hasMessageContaining("stackrestore.u64 to 0x100000");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "alloca.u64 %rd1, %rd2, 3|a power of two up to 8388608 as alignment, not 3",
        "alloca.u64 %rd1, %rd2, 16777216|not 16777216",
        "alloca.u64 %rd1, %rd2, %rd3|not %rd3",
        "alloca.b64 %rd1, %rd2|.u32 or .u64",
        "stacksave.u16 %rs1|.u32 or .u64",
        "stackrestore.u64 64|needs a register, not 64",
        "alloca.u64 %rd1|1 operands"
      })
  void saysWhatIsWrong(String example) {
    Refusals.check(device, example);
  }
}
