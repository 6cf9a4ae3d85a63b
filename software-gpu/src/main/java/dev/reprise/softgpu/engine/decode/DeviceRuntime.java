package dev.reprise.softgpu.engine.decode;

import dev.reprise.softgpu.ptx.Function;
import dev.reprise.softgpu.ptx.PtxParser;
import dev.reprise.softgpu.ptx.Statement;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The functions of CUDA's device runtime that the compiler knows by name, as PTX of our own. Code
 * declares them {@code .extern} and the driver provides them.
 */
final class DeviceRuntime {

  /**
   * A conditional handle is the address of the value, with a word behind it that says that it is
   * set.
   */
  private static final String TEXT =
      """
      .version 8.0
      .target sm_75
      .address_size 64
      .visible .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value)
      {
        .reg .b64 %handle;
        .reg .b32 %value;
        .reg .b32 %set;
        ld.param.u64 %handle, [handle];
        ld.param.u32 %value, [value];
        mov.u32 %set, 1;
        st.global.v2.u32 [%handle], {%value, %set};
        ret;
      }
      """;

  private static final List<Function> FUNCTIONS = PtxParser.parse(TEXT).functions();

  private DeviceRuntime() {}

  /** The function of a name, its instructions on the line of the call; null when there is none. */
  static @Nullable Function find(String name, int line) {
    for (Function f : FUNCTIONS) {
      List<Statement> body = f.body();
      if (f.name().equals(name) && body != null) {
        List<Statement> moved = body.stream().map(s -> onLine(s, line)).toList();
        return new Function(
            line, false, f.linkage(), name, f.results(), f.parameters(), f.directives(), moved);
      }
    }
    return null;
  }

  private static Statement onLine(Statement s, int line) {
    return s instanceof Statement.Instruction i
        ? new Statement.Instruction(
            line, i.column(), i.guard(), i.opcode(), i.modifiers(), i.operands(), i.source())
        : s;
  }
}
