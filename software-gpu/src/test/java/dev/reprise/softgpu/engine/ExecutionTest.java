package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.softgpu.memory.Allocation;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Generated code against the interpreter, on random programs. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ExecutionTest {
  private static final int THREADS = 96;
  private static final String[] OPERATIONS = {
    "add.s32 %r#, %r#, %r#;",
    "sub.s32 %r#, %r#, 77;",
    "mul.lo.s32 %r#, %r#, %r#;",
    "mad.lo.s32 %r#, %r#, %r#, %r#;",
    "mul.hi.u32 %r#, %r#, 0xD2511F53;",
    "and.b32 %r#, %r#, %r#;",
    "xor.b32 %r#, %r#, 0x5a5a;",
    "not.b32 %r#, %r#;",
    "shl.b32 %r#, %r#, 3;",
    "shr.u32 %r#, %r#, 7;",
    "shr.s32 %r#, %r#, 5;",
    "min.u32 %r#, %r#, %r#;",
    "max.s32 %r#, %r#, %r#;",
    "popc.b32 %r#, %r#;",
    "selp.b32 %r#, %r#, %r#, %p#;",
    "mov.u32 %r#, %r#;",
    "mov.b32 %r#, %f#;",
    "mov.b32 %f#, %r#;",
    "add.s64 %l#, %l#, %l#;",
    "add.s64 %l#, %l#, -123456789012;",
    "mul.lo.s64 %l#, %l#, %l#;",
    "mul.wide.s32 %l#, %r#, %r#;",
    "mul.wide.u32 %l#, %r#, 4;",
    "mad.wide.u32 %l#, %r#, %r#, %l#;",
    "cvt.s64.s32 %l#, %r#;",
    "cvt.u32.u64 %r#, %l#;",
    "shl.b64 %l#, %l#, 9;",
    "shr.u64 %l#, %l#, 33;",
    "mov.b64 {%r#, %r#}, %l#;",
    "mov.b64 %l#, {%r#, %r#};",
    "selp.b64 %l#, %l#, %l#, %p#;",
    "add.f32 %f#, %f#, %f#;",
    "sub.f32 %f#, %f#, %f#;",
    "mul.f32 %f#, %f#, 0f3FC00000;",
    "fma.rn.f32 %f#, %f#, %f#, %f#;",
    "fma.rm.f32 %f#, %f#, %f#, %f#;",
    "neg.f32 %f#, %f#;",
    "abs.f32 %f#, %f#;",
    "max.f32 %f#, %f#, %f#;",
    "div.rn.f32 %f#, %f#, %f#;",
    "ex2.approx.f32 %f#, %f#;",
    "selp.f32 %f#, %f#, %f#, %p#;",
    "cvt.rn.f32.s32 %f#, %r#;",
    "cvt.rn.f32.u32 %f#, %r#;",
    "cvt.rzi.s32.f32 %r#, %f#;",
    "setp.lt.s32 %p#, %r#, %r#;",
    "setp.ge.u32 %p#, %r#, %r#;",
    "setp.eq.s32 %p#, %r#, %r#;",
    "setp.ne.s64 %p#, %l#, %l#;",
    "setp.gtu.f32 %p#, %f#, %f#;",
    "and.pred %p#, %p#, %p#;",
    "or.pred %p#, %p#, %p#;",
    "xor.pred %p#, %p#, !%p#;",
    "not.pred %p#, %p#;",
    "mov.pred %p#, %p#;",
    "setp.lt.and.s32 %p#|%p#, %r#, %r#, %p#;",
    "setp.le.s32 %p#, %r#, %r#; selp.b32 %r#, %r#, %r#, %p#; selp.b64 %l#, %l#, %l#, %p#;",
    "selp.f64 %d#, %d#, %d#, %p#; cvt.f64.f32 %d#, %f#;",
    "@%p# add.s32 %r#, %r#, 1;",
    "@!%p# mul.f32 %f#, %f#, %f#;",
    "min.relu.s16x2 %r#, %r#, %r#;",
    "vabsdiff4.u32.u32.u32.add %r#, %r#, %r#, %r#;",
    "vadd.s32.s32.s32.sat %r#, %r#.h1, %r#.b2;",
    "lop3.b32 %r#, %r#, %r#, %r#, 0x6a;",
    "prmt.b32 %r#, %r#, %r#, %r#;",
    "dp4a.s32.u32 %r#, %r#, %r#, %r#;",
    "add.cc.u32 %r#, %r#, %r#; addc.u32 %r#, %r#, %r#;",
    "add.rn.f32x2 %l#, %l#, %l#;",
    "fma.rn.ftz.f16x2 %r#, %r#, %r#, %r#;",
    "cvt.rn.satfinite.e4m3x2.f32 %h1, %f#, %f#; cvt.rn.f16x2.e4m3x2 %r#, %h1;",
    "cvt.rna.tf32.f32 %r#, %f#;",
    "max.xorsign.abs.f32 %f#, %f#, %f#;",
    "testp.normal.f32 %p#, %f#;",
    "redux.sync.add.s32 %r#, %r#, -1;",
    "movmatrix.sync.aligned.m8n8.trans.b16 %r#, %r#;",
    "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r0,%r1}, {%r#}, {%r#}, {%r#,%r#};",
    "shfl.sync.bfly.b32 %r#, %r#, 1, 31, -1;",
    "shfl.sync.bfly.b32 %r#, %r#, 2, 31, -1; add.s32 %r#, %r#, %r#;",
    "mov.b32 %r#, %f#; shfl.sync.bfly.b32 %r#, %r#, 4, 31, -1;",
    "shfl.sync.bfly.b32 %r#, %r#, 8, 31, -1;",
    "shfl.sync.bfly.b32 %r#|%p#, %r#, 16, 31, -1;",
    "shfl.sync.bfly.b32 %r#, %r#, 2, 2, -1;",
    "shfl.sync.down.b32 %r#|%p#, %r#, 3, 31, -1;",
    "shfl.sync.idx.b32 %r#, %r#, %r#, 31, -1;",
    "vote.sync.ballot.b32 %r#, %p#, -1;",
    "vote.sync.any.pred %p#, %p#, -1;",
    "bar.warp.sync -1;",
    "shl.b32 %r#, %r#, %r#; shr.u32 %r#, %r#, %r#;",
    "shr.s32 %r#, %r#, %r#;",
    "setp.lt.f32 %p#, %f#, %f#; setp.ne.f32 %p#, %f#, %f#;",
    "setp.equ.f64 %p#, %d#, %d#; setp.nan.f32 %p#, %f#, %f#;",
    "ex2.approx.ftz.f32 %f#, %f#;",
    "not.pred %p#, %p#; selp.f32 %f#, %f#, %f#, %p#;",
    "ld.shared.u32 %r#, [%s];",
    "st.shared.f32 [%s], %f#;",
    "mov.b32 {%h1, %h2}, %r#; cvt.f32.f16 %f#, %h1; cvt.rn.f16.f32 %h3, %f#; cvt.u32.u16 %r#, %h3;",
  };

  /** Fills templates with registers, a few or many of each class. */
  private record Names(Random random, int registers) {
    String fill(String template) {
      StringBuilder s = new StringBuilder();
      for (char c : template.toCharArray()) {
        s.append(c == '#' ? String.valueOf(random.nextInt(registers)) : String.valueOf(c));
      }
      return s.toString();
    }

    String any() {
      return fill(OPERATIONS[random.nextInt(OPERATIONS.length)]);
    }
  }

  private static String program(Random random, int registers) {
    Names names = new Names(random, registers);
    StringBuilder s =
        new StringBuilder(
            ".version 8.0\n.target sm_80\n.address_size 64\n.entry k(.param .u64 out) {\n");
    s.append(
        ".shared .align 4 .b8 sh[384]; .reg .pred %p<N>; .reg .b32 %r<N>; .reg .b64 %l<N>; .reg"
            .concat(" .f32 %f<N>; .reg .b16 %h<5>; .reg .f64 %d<N>;\n")
            .replace("N", String.valueOf(registers)));
    s.append(".reg .b32 %s, %t, %n; .reg .b64 %o; .reg .pred %q;\n");
    s.append(
        "mov.u32 %t, %tid.x; shl.b32 %s, %t, 2; mov.u32 %n, sh; add.s32 %s, %s, %n; st.shared.u32"
            + " [%s], %t;\n");
    for (int k = 0; k < registers; k++) {
      s.append(
          String.format(
              "mov.f64 %%d%d, 0d3FF8000000000000; mad.lo.s32 %%r%d, %%t, %d, %d; cvt.rn.f32.s32 %%f%d, %%r%d; mul.wide.s32 %%l%d,"
                  + " %%r%d, %d; setp.gt.s32 %%p%d, %%r%d, %d;%n",
              k,
              k,
              random.nextInt(),
              random.nextInt(),
              k,
              k,
              k,
              k,
              random.nextInt(),
              k,
              k,
              random.nextInt()));
    }
    s.append("mov.u32 %n, 0;\nLOOP:\n");
    for (int k = 0; k < 12; k++) {
      s.append(names.any()).append("\n");
    }
    // Half of the lanes skip the middle, so that runs meet partial masks too.
    s.append("and.b32 %o32, %t, 1; setp.eq.s32 %q, %o32, 0; @%q bra SKIP;\n".replace("%o32", "%u"));
    for (int k = 0; k < 8; k++) {
      String operation = names.any();
      s.append(operation.contains(".sync") ? "" : operation).append("\n");
    }
    s.append("SKIP:\n");
    for (int k = 0; k < 30; k++) {
      s.append(names.any()).append("\n");
    }
    s.append("add.s32 %n, %n, 1; setp.lt.s32 %q, %n, 3; @%q bra LOOP;\n");
    for (int k = 5; k < registers; k++) {
      s.append(
          String.format(
              "xor.b32 %%r0, %%r0, %%r%d; xor.b64 %%l0, %%l0, %%l%d; xor.pred %%p0, %%p0, %%p%d;"
                  + " mov.b32 %%r1, %%f%d; xor.b32 %%r2, %%r2, %%r1; mov.b64 %%l1, %%d%d; xor.b64"
                  + " %%l2, %%l2, %%l1;%n",
              k, k, k, k, k));
    }
    s.append("ld.param.u64 %o, [out]; mad.wide.u32 %o, %t, 128, %o;\n");
    for (int k = 0; k < 5; k++) {
      s.append(
          String.format(
              "st.global.u32 [%%o+%d], %%r%d; st.global.f32 [%%o+%d], %%f%d; st.global.u64"
                  + " [%%o+%d], %%l%d; selp.u32 %%t, 1, 0, %%p%d; st.global.u32 [%%o+%d], %%t;%n",
              4 * k, k, 24 + 4 * k, k, 48 + 8 * k, k, k, 96 + 4 * k));
    }
    return s.append("ret; }")
        .toString()
        .replace(".reg .b32 %s, %t, %n;", ".reg .b32 %s, %t, %n, %u;");
  }

  private static int[] run(String text, Execution execution) {
    try (Device device = new Device(1, execution)) {
      Allocation out = device.allocate(THREADS * 128L);
      // What a warp-wide product or a shuffle finds in lanes that are not there is undefined.
      boolean crossesLanes = text.contains(".sync");
      int threads = crossesLanes ? THREADS : THREADS - 7;
      device.launch(Objects.requireNonNull(device.load(text).kernel("k")), 1, threads, out);
      return Device.ints(out);
    }
  }

  @RepeatedTest(40)
  void givesTheSameBitsAsTheInterpreter(RepetitionInfo repetition) {
    compares(9000L + repetition.getCurrentRepetition(), 5);
  }

  /** Most registers are wanted for a part of the program only, so that arrays are shared. */
  @RepeatedTest(40)
  void givesTheSameBitsWhereRegistersShareArrays(RepetitionInfo repetition) {
    compares(9500L + repetition.getCurrentRepetition(), 40);
  }

  private static void compares(long seed, int registers) {
    String text = program(new Random(seed), registers);
    int[] want = run(text, Execution.INTERPRETED);
    assertThat(run(text, Execution.COMPILED)).as("seed %d%n%s", seed, text).isEqualTo(want);
    assertThat(run(text, Execution.LOOPS)).as("loops, seed %d%n%s", seed, text).isEqualTo(want);
  }

  @Test
  void switchesToGeneratedCodeInTheMiddleOfAKernel() {
    String body =
        """
        mov.u32 %r5, 0; mov.u32 %r6, 1;
        LOOP: mad.lo.u32 %r6, %r6, 1664525, 1013904223; xor.b32 %r7, %r6, %r1; add.u32 %r8, %r8, %r7; mov.u32 %r9, %r8;
        add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 5000; @%p1 bra LOOP; st.global.u32 [%rd1], %r9;
        """;
    List<int[]> results = new ArrayList<>();
    for (Execution e : Execution.values()) {
      try (Device device = new Device(1, e)) {
        Allocation out = device.allocate(256);
        device.launch(
            Kernels.load(device, ".param .u64 out", Kernels.OWN_SLOT + "mov.u32 %r8, 0;" + body),
            1,
            64,
            out);
        results.add(Device.ints(out));
      }
    }
    assertThat(results).allSatisfy(r -> assertThat(r).isEqualTo(results.getFirst()));
  }
}
