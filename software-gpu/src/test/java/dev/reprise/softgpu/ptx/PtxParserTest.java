package dev.reprise.softgpu.ptx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class PtxParserTest {
  private static final String HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n";

  private static List<Statement> body(String text) {
    PtxModule m = PtxParser.parse(HEAD + ".entry k()\n{\n" + text + "\n}\n");
    return Objects.requireNonNull(m.functions().get(0).body());
  }

  private static Statement.Instruction instruction(String text) {
    return (Statement.Instruction) body(text).get(0);
  }

  @Test
  void readsTheHead() {
    PtxModule m = PtxParser.parse(".version 9.0\n.target sm_90a, debug\n.address_size 64\n");
    assertThat(m.version()).isEqualTo(90);
    assertThat(m.target()).isEqualTo("sm_90a");
  }

  @Test
  void readsDirectivesOfFunctions() {
    PtxModule m =
        PtxParser.parse(
            HEAD
                + """
                .file 1 "a.cu"
                .weak .func (.param .b32 r) f (.param .b64 x, .param .align 8 .b8 s[12]) .noreturn ;
                .visible .entry k(.param .u64 .ptr .global .align 16 p, .param .f32 q) .maxntid 128, 2, 1 .minnctapersm 4 { .pragma "nounroll"; .loc 1 2 3, function_name $L, inlined_at 1 2 3
                ret; }
                .section .debug_info { .b8 1, 2 }
                """);
    Function f = m.functions().get(0);
    assertThat(f.entry()).isFalse();
    assertThat(f.linkage()).isEqualTo("weak");
    assertThat(f.body()).isNull();
    assertThat(f.parameters().get(1).bytes()).isEqualTo(12);
    assertThat(f.parameters().get(1).alignment()).isEqualTo(8);
    Function k = m.functions().get(1);
    assertThat(k.directives())
        .containsEntry("maxntid", List.of(128L, 2L, 1L))
        .containsEntry("minnctapersm", List.of(4L));
    assertThat(k.parameters()).extracting(Variable::name).containsExactly("p", "q");
    assertThat(k.body()).hasSize(1);
  }

  @Test
  void readsVariablesWithInitialValues() {
    PtxModule m =
        PtxParser.parse(
            HEAD
                + ".visible .const .align 8 .b8 t[2][3] = {{1, 0x2, 0b11}, {04, 5U, -6}};\n"
                + ".global .f32 f = 0fBF800000;\n"
                + ".global .u64 p[2] = {t, generic(f)+8};\n"
                + ".extern .shared .align 16 .b8 s[];");
    Variable t = m.variables().get(0);
    assertThat(t.elements()).isEqualTo(6);
    assertThat(t.initial())
        .extracting(Variable.Initial::value)
        .containsExactly(1L, 2L, 3L, 4L, 5L, -6L);
    assertThat(m.variables().get(1).initial().get(0).real()).isEqualTo(-1.0);
    assertThat(m.variables().get(2).initial().get(1))
        .isEqualTo(new Variable.Initial(8, null, "f", true));
    assertThat(m.variables().get(3).bytes()).isZero();
    assertThat(m.variables().get(3).extern()).isTrue();
  }

  @Test
  void readsOperands() {
    assertThat(instruction("ld.global.v2.f32 {%f1, _}, [%rd1+-16];").operands())
        .containsExactly(
            new Operand.Vector(List.of(new Operand.Name("%f1", 0), new Operand.Name("_", 0))),
            new Operand.Address(new Operand.Name("%rd1", 0), -16, List.of()));
    assertThat(instruction("ld.shared.u32 %r1, [s+0x10];").operands().get(1))
        .isEqualTo(new Operand.Address(new Operand.Name("s", 0), 16, List.of()));
    assertThat(instruction("ld.global.u32 %r1, [8];").operands().get(1))
        .isEqualTo(new Operand.Address(null, 8, List.of()));
    assertThat(instruction("setp.lt.and.s32 %p1|%p2, %r1, -5, !%p3;").operands())
        .containsExactly(
            new Operand.Pair(new Operand.Name("%p1", 0), new Operand.Name("%p2", 0)),
            new Operand.Name("%r1", 0),
            new Operand.IntImmediate(-5),
            new Operand.Negated(new Operand.Name("%p3", 0)));
    assertThat(instruction("mov.u32 %r1, %ctaid.y;").operands().get(1))
        .isEqualTo(new Operand.Name("%ctaid.y", 0));
    assertThat(instruction("mov.u64 %r1, s+4;").operands().get(1))
        .isEqualTo(new Operand.Name("s", 4));
    assertThat(instruction("mov.f64 %d, 0d3FF8000000000000;").operands().get(1))
        .isEqualTo(new Operand.FloatImmediate(1.5, false));
    assertThat(instruction("mov.f32 %d, 0f3FC00000;").operands().get(1))
        .isEqualTo(new Operand.FloatImmediate(1.5, true));
    assertThat(instruction("mov.f64 %d, 2.5e-1;").operands().get(1))
        .isEqualTo(new Operand.FloatImmediate(0.25, false));
    assertThat(instruction("mov.u64 %d, 18446744073709551615;").operands().get(1))
        .isEqualTo(new Operand.IntImmediate(-1));
    assertThat(instruction("call.uni (r), f, (a, 3);").operands())
        .containsExactly(
            new Operand.Arguments(List.of(new Operand.Name("r", 0))),
            new Operand.Name("f", 0),
            new Operand.Arguments(List.of(new Operand.Name("a", 0), new Operand.IntImmediate(3))));
  }

  @Test
  void readsGuardsLabelsAndModifiers() {
    List<Statement> all =
        body(
            "$L__BB0_1:\n"
                + "@!%p1 bra.uni $L__BB0_1;\n"
                + "ld.global.nc.L1::no_allocate.L2::128B.f32 %f1, [%rd1];");
    assertThat(all.get(0)).isEqualTo(new Statement.Label(6, "$L__BB0_1"));
    Statement.Instruction bra = (Statement.Instruction) all.get(1);
    assertThat(bra.guard()).isEqualTo(new Statement.Guard("%p1", true));
    assertThat(bra.line()).isEqualTo(7);
    Statement.Instruction ld = (Statement.Instruction) all.get(2);
    assertThat(ld.modifiers())
        .containsExactly("global", "nc", "L1::no_allocate", "L2::128B", "f32");
    assertThat(ld.form()).isEqualTo("ld.global.nc.L1::no_allocate.L2::128B.f32");
  }

  @Test
  void readsScopesAndRegisters() {
    List<Statement> all =
        body(
            "{ .reg .f16 low,high; .reg .pred %p<3>; mov.b32 {low,high}, %r1; } // end\n"
                + "/* more\n"
                + " text */ prototype_0 : .callprototype (.param .b32 _) _ (.param .b64 _);\n"
                + "ts: .branchtargets A, B;");
    Statement.Scope scope = (Statement.Scope) all.get(0);
    assertThat(scope.statements().get(0))
        .isEqualTo(new Statement.Registers(6, PtxType.F16, 1, "low", -1));
    assertThat(scope.statements().get(2))
        .isEqualTo(new Statement.Registers(6, PtxType.PRED, 1, "%p", 3));
    Statement.CallPrototype prototype = (Statement.CallPrototype) all.get(1);
    assertThat(prototype.name()).isEqualTo("prototype_0");
    assertThat(prototype.results()).extracting(Variable::type).containsExactly(PtxType.B32);
    assertThat(prototype.parameters()).extracting(Variable::type).containsExactly(PtxType.B64);
    assertThat(all.get(2)).isEqualTo(new Statement.BranchTargets(9, "ts", List.of("A", "B")));
  }

  static List<Arguments> badTexts() {
    return List.of(
        Arguments.of(".target sm_80", 1, 1, "'.version' at the start"),
        Arguments.of(".version 9.9\n.target sm_80", 1, 10, "newer than 9.0"),
        Arguments.of(
            ".version 8.0\n.target sm_80\n.address_size 32", 3, 1, "only .address_size 64"),
        Arguments.of(".version 8.0\n.target sm_80\n.entry k( {", 3, 11, "'.param'"),
        Arguments.of(".version 8.0\n.target sm_80\n.entry k()\n{ add.s32 %r1 %r2; }", 4, 15, "';'"),
        Arguments.of(
            ".version 8.0\n.target sm_80\n.entry k()\n{ ld.u32 %r1, [%r2; }", 4, 19, "']'"),
        Arguments.of(
            ".version 8.0\n.target sm_80\n.entry k()\n{ mov.u32 %r1, ; }", 4, 16, "an operand"),
        Arguments.of(
            ".version 8.0\n.target sm_80\n.entry k()\n{ mov.u32 %r1, 0f12; }", 4, 16, "8 digits"),
        Arguments.of(
            ".version 8.0\n.target sm_80\n.entry k()\n{ ret;", 4, 7, "found the end of the text"),
        Arguments.of(".version 8.0\n.target sm_80\n.entry k()\n{ .reg .q32 %r; }", 4, 8, "a type"),
        Arguments.of(
            ".version 8.0\n.target sm_80\n.entry k()\n{ .reg .b32 %r<-3>; }",
            4, 16, "must be 0 to"),
        Arguments.of(
            ".version 8.0\n.target sm_80\n.global .b64 x[99999999999];", 3, 15, "too long"),
        Arguments.of(
            ".version 8.0\n.target sm_80\n.func f() { ret; }\n.alias a, g;", 4, 1, "no function"),
        Arguments.of(".version 8.0\n.target sm_80\n/* open", 3, 1, "not closed"),
        Arguments.of(
            ".version 8.0\n.target sm_80\n.entry k() { ` }", 3, 14, "unexpected character"),
        Arguments.of(".version 8.0\n.target sm_80\n.global .align 3 .b8 x;", 3, 16, "power of two"),
        Arguments.of(".version 8.0\n.target sm_80\nhello", 3, 1, "a directive"),
        Arguments.of(".version 8.0", 1, 13, "'.target'"));
  }

  @ParameterizedTest
  @MethodSource("badTexts")
  void saysWhereAndWhatItExpected(String text, int line, int column, String expected) {
    assertThatThrownBy(() -> PtxParser.parse(text))
        .isInstanceOfSatisfying(
            PtxException.class,
            e -> {
              assertThat(e.line()).isEqualTo(line);
              assertThat(e.column()).isEqualTo(column);
            })
        .hasMessageContaining(expected)
        .hasMessageContaining("line " + line);
  }
}
