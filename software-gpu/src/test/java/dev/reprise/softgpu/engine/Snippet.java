package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.softgpu.memory.Allocation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * Runs a few PTX instructions in as many threads as there are values: thread t has operand k of row
 * t in register {@code %a}, {@code %b}, {@code %c} or {@code %e}, and leaves its result in {@code
 * %d}. Values travel as bits in longs.
 */
final class Snippet {
  private static final String[] NAMES = {"%a", "%b", "%c", "%e"};

  private Snippet() {}

  /** One row of operands. */
  record Row(long... operands) {}

  static String kernel(String body, String resultType, String... operandTypes) {
    StringBuilder s = new StringBuilder();
    s.append(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out");
    for (int k = 0; k < operandTypes.length; k++) {
      s.append(", .param .u64 in").append(k);
    }
    s.append(")\n{\n.reg .u32 %t; .reg .u64 %p, %o; .reg .pred %p1, %p2, %p3;\n");
    s.append(
        ".reg .b32 %x<10>; .reg .b64 %y<10>; .reg .f32 %f<10>; .reg .f64 %g<10>; .reg .b16"
            + " %h<10>;\n");
    s.append(".reg .").append(resultType).append(" %d;\n");
    s.append(
        "mov.u32 %t, %ctaid.x; mad.lo.u32 %t, %t, 64, 0; mov.u32 %x0, %tid.x; add.u32 %t, %t,"
            + " %x0;\n");
    s.append("mul.wide.u32 %o, %t, 8;\n");
    for (int k = 0; k < operandTypes.length; k++) {
      s.append(".reg .").append(operandTypes[k]).append(" ").append(NAMES[k]).append(";\n");
      s.append("ld.param.u64 %p, [in").append(k).append("]; add.u64 %p, %p, %o;\n");
      s.append("ld.global.")
          .append(bits(operandTypes[k]))
          .append(" ")
          .append(NAMES[k])
          .append(", [%p];\n");
    }
    s.append(body).append("\n");
    s.append("ld.param.u64 %p, [out]; add.u64 %p, %p, %o;\n");
    s.append("st.global.").append(bits(resultType)).append(" [%p], %d;\nret;\n}\n");
    return s.toString();
  }

  private static String bits(String type) {
    String digits = type.endsWith("x2") ? "32" : type.replaceAll("[a-z]", "");
    return "b" + digits;
  }

  /** Results in the order of the rows; the last block is partly filled. */
  static long[] run(
      Device device, String body, String resultType, List<Row> rows, String... operandTypes) {
    LoadedModule module = device.load(kernel(body, resultType, operandTypes));
    KernelCode kernel = Objects.requireNonNull(module.kernel("k"));
    List<Object> arguments = new ArrayList<>();
    int blocks = (rows.size() + 63) / 64;
    Allocation out = device.allocate(blocks * 64L * 8);
    arguments.add(out);
    for (int k = 0; k < operandTypes.length; k++) {
      long[] column = new long[blocks * 64];
      for (int t = 0; t < rows.size(); t++) {
        column[t] = rows.get(t).operands()[k];
      }
      arguments.add(device.of(column));
    }
    // The reference and generated code must give the same bits.
    long[] result = launch(device, Execution.INTERPRETED, kernel, blocks, out, arguments);
    for (Execution e : List.of(Execution.COMPILED, Execution.LOOPS)) {
      assertThat(launch(device, e, kernel, blocks, out, arguments))
          .as("%s: %s", e, body)
          .isEqualTo(result);
    }
    module.unload();
    return Arrays.copyOf(result, rows.size());
  }

  private static long[] launch(
      Device device,
      Execution execution,
      KernelCode kernel,
      int blocks,
      Allocation out,
      List<Object> arguments) {
    try (Engine engine = new Engine(device.memory, 1, execution)) {
      Device.launch(engine, kernel, Dim3.of(blocks), Dim3.of(64), 0, arguments.toArray());
    }
    return Device.longs(out);
  }
}
