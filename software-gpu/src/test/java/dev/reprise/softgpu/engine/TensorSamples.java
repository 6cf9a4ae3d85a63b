package dev.reprise.softgpu.engine;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Operands of matrix instructions: as many registers as the shape and the types ask for. */
final class TensorSamples {
  private TensorSamples() {}

  private static int[] shape(List<String> modifiers) {
    String s =
        modifiers.stream().filter(m -> m.matches("m\\d+n\\d+k\\d+")).findFirst().orElseThrow();
    String[] numbers = s.substring(1).split("[nk]", -1);
    return new int[] {
      Integer.parseInt(numbers[0]), Integer.parseInt(numbers[1]), Integer.parseInt(numbers[2])
    };
  }

  private static int bits(String type) {
    return switch (type) {
      case "b1" -> 1;
      case "u4", "s4" -> 4;
      case "u8", "s8", "e4m3", "e5m2", "e3m2", "e2m3", "e2m1" -> 8;
      case "f16", "bf16" -> 16;
      case "f64" -> 64;
      default -> 32;
    };
  }

  static String registers(String type, int count) {
    String prefix = type.equals("f64") ? "%fd" : type.equals("f32") ? "%f" : "%r";
    return "{"
        + IntStream.range(0, count).mapToObj(k -> prefix + k).collect(Collectors.joining(", "))
        + "}";
  }

  private static String fragment(String type, int elements) {
    int width = Math.max(32, bits(type));
    // A fragment of f32 is declared as .b32 where it holds tf32.
    return registers(type, Math.max(1, elements * bits(type) / 32 / width));
  }

  /** What {@code ldmatrix} and {@code stmatrix} move. */
  static String rows(List<String> modifiers) {
    int count = modifiers.contains("x4") ? 4 : modifiers.contains("x2") ? 2 : 1;
    return registers("b32", modifiers.contains("m16n16") ? 2 * count : count);
  }

  static String mma(List<String> modifiers, List<String> types) {
    int[] s = shape(modifiers);
    boolean quad = s[0] == 8 && s[2] == 4 && !types.get(0).equals("f64");
    int copies = quad ? 4 : 1;
    int m = s[0] * copies;
    boolean sparse = modifiers.stream().anyMatch(x -> x.startsWith("sp"));
    boolean scaled = modifiers.contains("block_scale");
    boolean packed = modifiers.stream().anyMatch(x -> x.startsWith("kind::mxf4"));
    return fragment(types.get(0), m * s[1])
        + ", "
        + fragment(packed ? "s4" : types.get(1), m * s[2] / (sparse ? 2 : 1))
        + ", "
        + fragment(packed ? "s4" : types.get(2), s[2] * s[1] * copies)
        + ", "
        + fragment(types.get(3), m * s[1])
        + (sparse ? ", %r9, 0" : "")
        + (scaled ? ", %r10, {0, 1}, %r11, {0, %rs1}" : "");
  }

  private static String wmmaFragment(String matrix, String type, int[] s) {
    int elements =
        switch (matrix) {
          case "a" -> s[0] * s[2];
          case "b" -> s[2] * s[1];
          default -> s[0] * s[1];
        };
    if (type.equals("f16") && !matrix.equals("c")) {
      return registers("b32", 8);
    }
    return fragment(type, elements);
  }

  static String wmma(List<String> modifiers, List<String> types) {
    int[] s = shape(modifiers);
    String t = types.get(0);
    if (modifiers.contains("load")) {
      String which = modifiers.contains("a") ? "a" : modifiers.contains("b") ? "b" : "c";
      return wmmaFragment(which, t, s) + ", [%rd1], %r9";
    }
    if (modifiers.contains("store")) {
      return "[%rd1], " + wmmaFragment("c", t, s) + ", %r9";
    }
    boolean half = types.size() == 2;
    return wmmaFragment("c", types.get(0), s)
        + ", "
        + wmmaFragment("a", half ? "f16" : types.get(1), s)
        + ", "
        + wmmaFragment("b", half ? "f16" : types.get(2), s)
        + ", "
        + wmmaFragment("c", types.get(half ? 1 : 3), s);
  }
}
