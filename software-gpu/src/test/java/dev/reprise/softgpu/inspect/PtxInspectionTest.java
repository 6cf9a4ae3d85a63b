package dev.reprise.softgpu.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PtxInspectionTest {
  private static final String HEADER = ".version 8.0\n.target sm_75\n.address_size 64\n";

  @Test
  void tellsWhatATextUses() {
    PtxInspection found =
        PtxInspection.of(
            HEADER
                + """
                .func (.param .b32 r) twice(.param .b32 x)
                { .reg .b32 %a; ld.param.b32 %a, [x]; add.u32 %a, %a, %a; st.param.b32 [r], %a; ret; }
                .visible .entry k(.param .u64 data, .param .align 8 .b8 box[24], .param .f32 f)
                .maxntid 128
                {
                  .shared .align 4 .b8 tile[512];
                  .local .align 4 .b8 own[16];
                  .reg .b32 %r<3>;
                  mov.u32 %r1, tile;
                  { mov.u32 %r2, own; }
                  add.u32 %r1, %r1, %r2;
                  ret;
                }
                """);
    assertThat(found.problems()).isEmpty();
    assertThat(found.loads()).isTrue();
    assertThat(found.version()).isEqualTo("8.0");
    assertThat(found.target()).isEqualTo("sm_75");
    assertThat(found.functions()).containsExactly("twice");
    assertThat(found.instructions())
        .containsEntry("mov.u32", 2)
        .containsEntry("add.u32", 2)
        .containsEntry("ret", 2);
    PtxKernel kernel = found.kernels().getFirst();
    assertThat(kernel.name()).isEqualTo("k");
    assertThat(kernel.instructions()).isEqualTo(4);
    assertThat(kernel.parameters())
        .containsExactly(
            new PtxKernel.Parameter("data", "u64", 8),
            new PtxKernel.Parameter("box", "b8[24]", 24),
            new PtxKernel.Parameter("f", "f32", 4));
    assertThat(kernel.resources().sharedBytes()).isEqualTo(512);
    assertThat(kernel.resources().localBytes()).isEqualTo(16);
    assertThat(kernel.resources().maxThreads()).isEqualTo(128);
  }

  @Test
  void findsAllThatIsNotSupportedWithItsPlace() {
    PtxInspection found =
        PtxInspection.of(
            HEADER
                + """
                .entry a() { .reg .b32 %r<3>;
                  add.u32 %r1, %r1, %r2;
                  frob.u32 %r1, %r2;
                    { add.odd.u32 %r1, %r1, %r2; }
                  ret; }
                .entry b() { .reg .b32 %r<3>;
                  frob.b64 %r1;
                  mov.u32 %r1, nobody;
                  ret; }
                """);
    assertThat(found.loads()).isFalse();
    assertThat(found.problems().stream().map(p -> p.line() + ":" + p.column() + " " + p.kind()))
        .containsExactly("6:3 UNSUPPORTED", "7:7 UNSUPPORTED", "10:3 UNSUPPORTED", "11:3 INVALID");
    assertThat(found.problems().getFirst().message())
        .isEqualTo("line 6, column 3: unsupported instruction frob.u32");
    assertThat(found.kernels()).extracting(PtxKernel::name).containsExactly("a", "b");
  }

  @Test
  void anErrorOfSyntaxSaysWhatWasExpectedAndWhere() {
    PtxInspection found = PtxInspection.of(HEADER + ".entry k() { mov.u32 %r1 5; }\n");
    assertThat(found.loads()).isFalse();
    assertThat(found.version()).isEmpty();
    assertThat(found.problems())
        .containsExactly(
            new PtxProblem(
                PtxProblem.Kind.SYNTAX, 4, 26, "line 4, column 26: expected ';' but found '5'"));
  }

  @Test
  void variablesThatDoNotFitAreAProblem() {
    PtxInspection found = PtxInspection.of(HEADER + ".global .b8 huge[99999999999];\n");
    assertThat(found.problems()).hasSize(1);
    assertThat(found.loads()).isFalse();
    assertThat(found.problems().getFirst().message()).contains("99999999999");
  }
}
