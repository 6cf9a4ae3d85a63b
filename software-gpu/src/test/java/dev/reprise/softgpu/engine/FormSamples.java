package dev.reprise.softgpu.engine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Writes an instruction with operands for a form such as {@code add.rn.f32}: opcode and modifiers,
 * as lists of what compilers emit have them.
 */
public final class FormSamples {
  private static final String REGISTERS =
      """
      .reg .pred %p<10>; .reg .b16 %rs<20>; .reg .b32 %r<20>; .reg .b64 %rd<20>;
      .reg .f32 %f<20>; .reg .f64 %fd<20>;
      """;

  private FormSamples() {}

  /** A module with a kernel that holds the instruction and nothing else of note. */
  public static String module(String form) {
    return ".version 9.0\n.target sm_100a\n.address_size 64\n"
        + ".extern .shared .align 16 .b8 sh[];\n"
        + ".func (.param .b32 r) fn(.param .b32 a) { .reg .b32 %x; ld.param.b32 %x, [a];"
        + " st.param.b32 [r], %x; ret; }\n"
        + ".visible .entry k(.param .align 16 .b8 kp[64])\n{\n"
        + ".param .align 16 .b8 cp[64]; .param .align 16 .b8 cr[64];\n"
        + REGISTERS
        + (form.contains("b128") ? ".reg .b128 %q<5>;" : "")
        + instruction(form)
        + ";\nL: ret;\n}\n";
  }

  /** A kernel with the instruction and as little else as it needs. */
  static String kernel(String form) {
    return ".version 9.0\n.target sm_100a\n.address_size 64\n.entry k() {\n"
        + REGISTERS
        + instruction(form)
        + "; ret; }\n";
  }

  private static String register(String type, int k) {
    return switch (type) {
      case "pred" -> "%p" + k;
      case "f32" -> "%f" + k;
      case "f64" -> "%fd" + k;
      case "b128" -> "%q" + k;
      case "b64", "u64", "s64", "f32x2" -> "%rd" + k;
      case "b8",
          "u8",
          "s8",
          "b16",
          "u16",
          "s16",
          "f16",
          "bf16",
          "e4m3x2",
          "e5m2x2",
          "e2m3x2",
          "e3m2x2",
          "e2m1x4",
          "ue8m0x2" ->
          "%rs" + k;
      default -> "%r" + k;
    };
  }

  static boolean isType(String m) {
    return m.matches(
            "([bsu](8|16|32|64|128)|pred|[su]16x2|b?f16(x2)?|f32(x2)?|f64|tf32|[us][24]|b1)")
        || m.matches("(ue8m0|e[2345]m[0-9])(x[24])?");
  }

  private static String list(String type, int from, int count) {
    List<String> all = new ArrayList<>();
    for (int k = 0; k < count; k++) {
      all.add(register(type, from + k));
    }
    return String.join(", ", all);
  }

  private static String vector(String type, int from, int count) {
    return "{" + list(type, from, count) + "}";
  }

  /** The instruction without its semicolon. */
  static String instruction(String form) {
    String[] parts = form.split("\\.", -1);
    List<String> modifiers = Arrays.asList(parts).subList(1, parts.length);
    List<String> types = modifiers.stream().filter(FormSamples::isType).toList();
    String t = types.isEmpty() ? "" : types.get(0);
    String operands =
        switch (parts[0]) {
          case "add",
              "sub",
              "mul",
              "div",
              "rem",
              "min",
              "max",
              "and",
              "or",
              "xor",
              "copysign",
              "addc",
              "subc",
              "mul24" ->
              modifiers.contains("wide")
                  ? wide(t) + ", " + list(t, 1, 2)
                  : types.size() == 2
                      ? list(t, 0, 1) + ", " + list(types.get(1), 1, 1) + ", " + list(t, 2, 1)
                      : list(t, 0, 3);
          case "mad", "fma", "madc", "mad24", "sad" ->
              modifiers.contains("wide")
                  ? wide(t) + ", " + list(t, 1, 2) + ", " + wide(t)
                  : types.size() == 2
                      ? list(t, 0, 1) + ", " + list(types.get(1), 1, 2) + ", " + list(t, 3, 1)
                      : list(t, 0, 4);
          case "shl", "shr" -> list(t, 0, 2) + ", %r3";
          case "neg",
              "abs",
              "not",
              "cnot",
              "rcp",
              "sqrt",
              "rsqrt",
              "sin",
              "cos",
              "lg2",
              "ex2",
              "tanh",
              "mov",
              "brev" ->
              list(t, 0, 2);
          case "popc", "clz", "bfind" -> "%r0, " + register(t, 1);
          case "testp" -> "%p0, " + register(t, 1);
          case "prmt" -> "%r0, %r1, %r2, %r3";
          case "lop3" ->
              modifiers.size() > 1
                  ? "%r0|%p0, %r1, %r2, %r3, 0x96, %p1"
                  : "%r0, %r1, %r2, %r3, 0x96";
          case "vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr", "vset" ->
              "%r0, %r1.b1, %r2.h0" + (secondary(modifiers) ? ", %r3" : "");
          case "vadd2", "vsub2", "vavrg2", "vabsdiff2", "vmin2", "vmax2", "vset2" ->
              "%r0.h10, %r1.h32, %r2.h10, %r3";
          case "vadd4", "vsub4", "vavrg4", "vabsdiff4", "vmin4", "vmax4", "vset4" ->
              "%r0, %r1.b7654, %r2.b3210, %r3";
          case "vmad" -> "%r0, %r1.b0, %r2.h1, %r3";
          case "pmevent" -> "3";
          case "griddepcontrol" -> "";
          case "setmaxnreg" -> "64";
          case "applypriority", "discard" -> "[%rd1], 128";
          case "shf", "fns", "dp4a", "dp2a" -> "%r0, %r1, %r2, %r3";
          case "szext", "bmsk" -> "%r0, %r1, %r2";
          case "bfe" -> list(t, 0, 2) + ", %r2, %r3";
          case "bfi" -> list(t, 0, 3) + ", %r2, %r3";
          case "setp" -> "%p0|%p1, " + list(t, 1, 2);
          case "set" -> register(t, 0) + ", " + list(types.get(1), 1, 2);
          case "selp" -> list(t, 0, 3) + ", %p1";
          case "slct" -> list(t, 0, 3) + ", " + register(types.get(1), 4);
          case "cvt" -> cvt(form, modifiers, types);
          case "cvta" -> "%rd0, %rd1";
          case "isspacep" -> "%p0, %rd1";
          case "ld", "ldu" -> memory(modifiers, t, true);
          case "st" ->
              modifiers.contains("bulk")
                  ? ClusterSamples.fill(modifiers)
                  : modifiers.contains("async")
                      ? ClusterSamples.store(modifiers, several(modifiers, t, 2))
                      : memory(modifiers, t, false);
          case "atom" ->
              several(modifiers, t, 0)
                  + ", [%rd1], "
                  + several(modifiers, t, 8)
                  + (modifiers.contains("cas") ? ", " + register(t, 3) : "");
          case "red" ->
              modifiers.contains("async")
                  ? ClusterSamples.store(modifiers, several(modifiers, t, 2))
                  : "[%rd1], " + several(modifiers, t, 8);
          case "mapa" -> list(t, 0, 2) + ", %r5";
          case "getctarank" -> "%r0, " + register(t, 1);
          case "prefetch", "prefetchu" -> "[%rd1]";
          case "fence" ->
              form.contains("tensormap") && form.contains("acquire") ? "[%rd1], 128" : "";
          case "tensormap" -> ClusterSamples.map(modifiers);
          case "membar", "ret", "trap", "exit", "brkpt" -> "";
          case "nanosleep" -> "%r0";
          case "shfl" -> "%r0|%p0, %r1, %r2, %r3, -1";
          case "vote" -> (t.equals("pred") ? "%p0" : "%r0") + ", %p1, -1";
          case "match" -> "%r0, " + register(t, 1) + ", -1";
          case "redux" -> list(t, 0, 2) + ", -1";
          case "activemask" -> "%r0";
          case "elect" -> "%r0|%p0, -1";
          case "bar", "barrier" -> modifiers.contains("cluster") ? "" : barrier(modifiers);
          case "bra" -> "L";
          case "call" -> "(cr), fn, (cp)";
          case "cp" -> modifiers.contains("bulk") ? ClusterSamples.copy(modifiers) : copy(form);
          case "mbarrier" -> mbarrier(modifiers);
          case "ldmatrix" -> TensorSamples.rows(modifiers) + ", [%rd1]";
          case "stmatrix" -> "[%rd1], " + TensorSamples.rows(modifiers);
          case "alloca" -> list(t, 0, 2) + ", 16";
          case "stacksave", "stackrestore" -> register(t, 0);
          case "movmatrix" -> "%r0, %r1";
          case "mma" -> TensorSamples.mma(modifiers, types);
          case "wmma" -> TensorSamples.wmma(modifiers, types);
          default -> throw new IllegalArgumentException("no operands are known for " + form);
        };
    return operands.isEmpty() ? form : form + " " + operands;
  }

  private static int width(List<String> modifiers) {
    return modifiers.contains("v8")
        ? 8
        : modifiers.contains("v4") ? 4 : modifiers.contains("v2") ? 2 : 1;
  }

  private static String several(List<String> modifiers, String t, int from) {
    int n = width(modifiers);
    return n > 1 ? vector(t, from, n) : register(t, t.equals("b128") ? from / 4 : from);
  }

  private static boolean secondary(List<String> m) {
    return m.contains("add") || m.contains("min") || m.contains("max");
  }

  private static String wide(String t) {
    return t.endsWith("16") ? "%r0" : "%rd0";
  }

  private static String cvt(String form, List<String> modifiers, List<String> types) {
    String to = types.get(0);
    String from = types.get(1);
    if (form.startsWith("cvt.pack")) {
      return "%r0, %r1, %r2" + (types.size() == 3 ? ", %r3" : "");
    }
    boolean packs = (to.endsWith("x2") || to.endsWith("x4")) && from.equals("f32");
    if (to.endsWith("x4")) {
      return register(to, 0) + ", " + vector("f32", 0, 4) + ", %r5";
    }
    String rbits = modifiers.contains("rs") ? ", %r5" : "";
    return register(to, 0)
        + ", "
        + register(from, 1)
        + (packs ? ", " + register(from, 2) : "")
        + rbits;
  }

  private static String memory(List<String> modifiers, String t, boolean load) {
    int n = width(modifiers);
    String value = n == 1 ? register(t, 2) : vector(t, 2, n);
    String address = modifiers.contains("param") ? (load ? "[kp]" : "[cp]") : "[%rd1]";
    return load ? value + ", " + address : address + ", " + value;
  }

  private static String barrier(List<String> m) {
    if (m.contains("warp")) {
      return "-1";
    }
    if (m.contains("red")) {
      return (m.contains("popc") ? "%r0" : "%p0") + ", 0, %p1";
    }
    return m.contains("arrive") ? "1, 64" : "0";
  }

  private static String copy(String form) {
    if (form.contains("commit_group") || form.endsWith("wait_all")) {
      return "";
    }
    if (form.contains("wait_group")) {
      return "1";
    }
    return form.contains("mbarrier") ? "[%r1]" : "[%r1], [%rd1], 16";
  }

  private static String mbarrier(List<String> m) {
    if (m.contains("init")) {
      return "[%r1], 32";
    }
    if (m.contains("inval")) {
      return "[%r1]";
    }
    if (m.contains("pending_count")) {
      return "%r0, %rd1";
    }
    if (m.contains("test_wait") || m.contains("try_wait")) {
      return m.contains("parity") ? "%p0, [%r1], %r2" : "%p0, [%r1], %rd2";
    }
    if (m.contains("arrive_drop") || m.contains("arrive")) {
      String state = m.contains("shared::cluster") ? "_" : "%rd0";
      return state
          + (m.contains("expect_tx") || m.contains("noComplete") ? ", [%r1], 1" : ", [%r1]");
    }
    return "[%r1], 1";
  }
}
