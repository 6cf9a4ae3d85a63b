package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.softgpu.memory.Allocation;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;

/**
 * One product of {@code mma} in the shapes of 16 rows and 8 columns: matrices of random numbers,
 * the registers that hold them as the manual lays them out, lane by lane, and the exact result from
 * the matrices themselves.
 */
final class ProductSample {
  static final int ROWS = 16;
  static final int COLUMNS = 8;

  private final Random random;
  private final int depth;
  private final String sumType;
  private final String leftType;
  private final String rightType;

  /** Whether e2m1 lies packed instead of in bytes. */
  private final boolean packed;

  /** Codes. */
  final int[][] a;

  /** Which elements a sparse a does not have. */
  final boolean[][] absent;

  final int[][] b;
  final double[][] c = new double[ROWS][COLUMNS];

  /** For a sparse a: four bits for each chunk of a row. */
  private int[][] chunks = new int[0][0];

  /** Codes of scale factors: of a row of a, and of a column of b. */
  int[][] leftScales = new int[0][0];

  int[][] rightScales = new int[0][0];
  private boolean powers;
  private int byteA;
  private int threadA;
  private int byteB;
  private int threadB;
  private int selector;

  ProductSample(
      Random random, int depth, String sumType, String leftType, String rightType, boolean packed) {
    this.random = random;
    this.depth = depth;
    this.sumType = sumType;
    this.leftType = leftType;
    this.rightType = rightType;
    this.packed = packed;
    a = new int[ROWS][depth];
    absent = new boolean[ROWS][depth];
    b = new int[depth][COLUMNS];
    for (int[] row : a) {
      for (int k = 0; k < depth; k++) {
        row[k] = pick(leftType);
      }
    }
    for (int[] row : b) {
      for (int n = 0; n < COLUMNS; n++) {
        row[n] = pick(rightType);
      }
    }
    for (double[] row : c) {
      for (int n = 0; n < COLUMNS; n++) {
        row[n] = random.nextInt(65) - 32;
      }
    }
  }

  /** Codes of moderate size, so that sums are exact in double. */
  private int pick(String type) {
    switch (type) {
      case "f16", "bf16", "tf32" -> {
        float v = (random.nextInt(65) - 32) / 8f;
        return switch (type) {
          case "f16" -> Float.floatToFloat16(v) & 0xffff;
          case "bf16" -> Float.floatToRawIntBits(v) >>> 16;
          default -> Float.floatToRawIntBits(v);
        };
      }
      case "s8", "u8" -> {
        return random.nextInt(256);
      }
      case "s4", "u4" -> {
        return random.nextInt(16);
      }
      default -> {
        SmallFloat format = SmallFloat.of(type);
        while (true) {
          int code = random.nextInt(2 * format.sign());
          double size = Math.abs(format.value(code));
          if (size == 0 || (size >= 0x1p-5 && size <= 0x1p5)) {
            return code;
          }
        }
      }
    }
  }

  private static double value(String type, int code) {
    return switch (type) {
      case "tf32" -> Float.intBitsToFloat(code);
      case "s8" -> (byte) code;
      case "s4" -> code < 8 ? code : code - 16;
      case "u8", "u4" -> code;
      default -> SmallFloat.of(type).value(code);
    };
  }

  /** Bits that an element takes in a register. */
  private int bits(String type) {
    return switch (type) {
      case "tf32" -> 32;
      case "f16", "bf16" -> 16;
      case "s4", "u4" -> 4;
      case "e2m1" -> packed ? 4 : 8;
      default -> 8;
    };
  }

  private int perRegister(String type) {
    return 32 / bits(type);
  }

  /** An element as it lies in a register: e2m1 in the middle of a byte, if not packed. */
  private int stored(String type, int code) {
    return type.equals("e2m1") && !packed ? code << 2 : code;
  }

  /** Leaves half of a out: one of two, two of four, or two pairs of eight. */
  void leaveOut(int sparsitySelector) {
    selector = sparsitySelector;
    int width = bits(leftType) == 32 ? 2 : bits(leftType) == 4 ? 8 : 4;
    chunks = new int[ROWS][depth / width];
    for (int row = 0; row < ROWS; row++) {
      for (int chunk = 0; chunk < depth / width; chunk++) {
        int first = random.nextInt(3);
        int second = first + 1 + random.nextInt(3 - first);
        if (width == 2) {
          first = 2 * random.nextInt(2);
          second = first + 1;
        }
        chunks[row][chunk] = second << 2 | first;
        for (int k = 0; k < width; k++) {
          int part = k * 4 / width;
          boolean kept = width == 2 ? part == first : part == first || part == second;
          absent[row][chunk * width + k] = !kept;
        }
      }
    }
  }

  /** Adds scale factors, as many along the depth, at the given places of the registers. */
  void scale(int factors, boolean powersOfTwo, int[] bytesAndThreads) {
    powers = powersOfTwo;
    byteA = bytesAndThreads[0];
    threadA = bytesAndThreads[1];
    byteB = bytesAndThreads[2];
    threadB = bytesAndThreads[3];
    leftScales = scales(ROWS, factors);
    rightScales = scales(COLUMNS, factors);
  }

  /** Other selectors than the registers are filled for. */
  void select(int firstOfA, int laneOfA, int firstOfB, int laneOfB) {
    byteA = firstOfA;
    threadA = laneOfA;
    byteB = firstOfB;
    threadB = laneOfB;
  }

  private int[][] scales(int lines, int factors) {
    int[][] codes = new int[lines][factors];
    for (int[] line : codes) {
      for (int k = 0; k < factors; k++) {
        line[k] = powers ? 124 + random.nextInt(7) : 0x20 + random.nextInt(0x30);
      }
    }
    return codes;
  }

  private double scale(int[][] scales, int line, int k) {
    if (scales.length == 0) {
      return 1;
    }
    int code = scales[line][k * scales[line].length / depth];
    return powers
        ? code == 255 ? Double.NaN : Math.pow(2, code - 127)
        : SmallFloat.of("e4m3").value(code & 0x7f);
  }

  double expected(int row, int column) {
    double sum = c[row][column];
    for (int k = 0; k < depth; k++) {
      if (!absent[row][k]) {
        sum +=
            value(leftType, a[row][k])
                * scale(leftScales, row, k)
                * value(rightType, b[k][column])
                * scale(rightScales, column, k);
      }
    }
    return sum;
  }

  /** Registers of a lane that hold a. */
  private List<Integer> left(int lane) {
    int per = perRegister(leftType);
    boolean sparse = chunks.length > 0;
    int registers = 16 * depth / 32 / per / (sparse ? 2 : 1);
    List<Integer> words = new ArrayList<>();
    for (int r = 0; r < registers; r++) {
      int row = (lane >> 2) + (r % 2 == 0 ? 0 : 8);
      int width = sparse ? 2 * per : per;
      int first = lane % 4 * width + (r >= 2 ? 4 * width : 0);
      int word = 0;
      int at = 0;
      for (int k = first; k < first + width; k++) {
        if (!absent[row][k]) {
          word |= stored(leftType, a[row][k]) << at * bits(leftType);
          at++;
        }
      }
      assertThat(at).isEqualTo(per);
      words.add(word);
    }
    return words;
  }

  private List<Integer> right(int lane) {
    int per = perRegister(rightType);
    List<Integer> words = new ArrayList<>();
    for (int r = 0; r < 8 * depth / 32 / per; r++) {
      int word = 0;
      for (int i = 0; i < per; i++) {
        int k = lane % 4 * per + i + 4 * per * r;
        word |= stored(rightType, b[k][lane >> 2]) << i * bits(rightType);
      }
      words.add(word);
    }
    return words;
  }

  private int sumBits(double v) {
    return switch (sumType) {
      case "s32" -> (int) v;
      case "f16" -> SmallFloat.of("f16").nearest(new BigDecimal(v));
      default -> Float.floatToRawIntBits((float) v);
    };
  }

  private List<Integer> sums(int lane) {
    List<Integer> words = new ArrayList<>();
    for (int r = 0; r < 2; r++) {
      int row = (lane >> 2) + 8 * r;
      int column = lane % 4 * 2;
      int first = sumBits(c[row][column]);
      int second = sumBits(c[row][column + 1]);
      words.addAll(sumType.equals("f16") ? List.of(first | second << 16) : List.of(first, second));
    }
    return words;
  }

  /** Metadata of a lane: what it gives, or anything where others do. */
  private int metadata(int lane) {
    int word = 0;
    int each = chunks[0].length;
    boolean narrow = bits(leftType) <= 8;
    for (int q = 0; q < 8; q++) {
      int row;
      int chunk;
      boolean gives;
      if (narrow) {
        row = (lane >> 2) + 8 * (lane % 2);
        chunk = q + (each == 16 ? 8 * (lane % 4 / 2) : 0);
        gives = each == 16 || lane % 4 / 2 == selector;
      } else {
        row = (lane >> 2) + (q < 4 ? 0 : 8);
        chunk = q % 4 + (each == 8 ? 4 * (lane % 2) : 0);
        gives = each == 8 ? lane % 4 / 2 == selector : lane % 4 == selector;
      }
      word |= (gives ? chunks[row][chunk] : random.nextInt(16)) << 4 * q;
    }
    return word;
  }

  private int factors(int lane, boolean ofA) {
    int word = random.nextInt();
    boolean gives = ofA ? lane % 4 / 2 == threadA : lane % 4 == threadB;
    if (gives) {
      int[] line = ofA ? leftScales[(lane >> 2) + 8 * (lane % 2)] : rightScales[lane >> 2];
      for (int k = 0; k < line.length; k++) {
        int shift = 8 * ((ofA ? byteA : byteB) + k);
        word = word & ~(0xff << shift) | line[k] << shift;
      }
    }
    return word;
  }

  private static String names(String prefix, int count) {
    List<String> all = new ArrayList<>();
    for (int k = 0; k < count; k++) {
      all.add(prefix + k);
    }
    return "{" + String.join(", ", all) + "}";
  }

  /** The instruction, on registers that the kernel has loaded; selectors in registers or not. */
  private String instruction(String form, int[] counts, boolean inRegisters) {
    StringBuilder s = new StringBuilder(form).append(' ').append(names("%d", counts[2]));
    s.append(", ").append(names("%a", counts[0])).append(", ").append(names("%b", counts[1]));
    s.append(", ").append(names("%c", counts[2]));
    if (chunks.length > 0) {
      s.append(", %x0, ").append(selector);
    }
    if (leftScales.length > 0) {
      s.append(
          inRegisters
              ? ", %x1, {%h0, %h1}, %x2, {%h2, %h3}"
              : String.format(", %%x1, {%d, %d}, %%x2, {%d, %d}", byteA, threadA, byteB, threadB));
    }
    return s.append(";\n").toString();
  }

  /** The words that the lanes get, each with the same number of them. */
  int[][] run(Device device, String form, boolean selectorsInRegisters) {
    int[] counts = {left(0).size(), right(0).size(), sums(0).size()};
    List<Integer> in = new ArrayList<>();
    for (int lane = 0; lane < 32; lane++) {
      in.addAll(left(lane));
      in.addAll(right(lane));
      in.addAll(sums(lane));
      in.add(chunks.length > 0 ? metadata(lane) : 0);
      in.add(leftScales.length > 0 ? factors(lane, true) : 0);
      in.add(leftScales.length > 0 ? factors(lane, false) : 0);
    }
    int each = in.size() / 32;
    StringBuilder s = new StringBuilder();
    String type = sumType.equals("f32") ? "f32" : "b32";
    s.append(".version 9.0\n.target sm_120a\n.address_size 64\n");
    s.append(".entry k(.param .u64 in, .param .u64 out) {\n");
    s.append(".reg .b32 %a<9>, %b<9>, %x<3>, %t; .reg .b16 %h<4>; .reg .b64 %p, %o;\n");
    s.append(String.format(".reg .%s %%c<5>, %%d<5>;\n", type));
    s.append("mov.u32 %t, %tid.x; ld.param.u64 %p, [in]; ld.param.u64 %o, [out];\n");
    s.append(String.format("mad.wide.u32 %%p, %%t, %d, %%p;\n", 4 * each));
    s.append(String.format("mad.wide.u32 %%o, %%t, %d, %%o;\n", 4 * counts[2]));
    int at = 0;
    for (String p : List.of("a", "b", "c", "x")) {
      int n = p.equals("x") ? 3 : counts["abc".indexOf(p)];
      for (int k = 0; k < n; k++) {
        s.append(
            String.format(
                "ld.global.%s %%%s%d, [%%p+%d];\n", p.equals("c") ? type : "b32", p, k, 4 * at++));
      }
    }
    s.append(
        String.format(
            "mov.u16 %%h0, %d; mov.u16 %%h1, %d; mov.u16 %%h2, %d; mov.u16 %%h3, %d;\n",
            byteA, threadA, byteB, threadB));
    s.append(instruction(form, counts, selectorsInRegisters));
    for (int k = 0; k < counts[2]; k++) {
      s.append(String.format("st.global.%s [%%o+%d], %%d%d;\n", type, 4 * k, k));
    }
    s.append("ret; }\n");
    LoadedModule module = device.load(s.toString());
    KernelCode code = Objects.requireNonNull(module.kernel("k"));
    Allocation out = device.allocate(32L * 4 * counts[2]);
    device.launch(code, 1, 32, device.of(in.stream().mapToInt(v -> v).toArray()), out);
    int[] words = Device.ints(out);
    module.unload();
    int[][] result = new int[ROWS][COLUMNS];
    for (int lane = 0; lane < 32; lane++) {
      for (int i = 0; i < 4; i++) {
        int row = (lane >> 2) + (i < 2 ? 0 : 8);
        int word = words[lane * counts[2] + (sumType.equals("f16") ? i / 2 : i)];
        result[row][lane % 4 * 2 + i % 2] =
            sumType.equals("f16") ? word >>> 16 * (i % 2) & 0xffff : word;
      }
    }
    return result;
  }

  /** Runs the instruction and compares every element with the exact sum, rounded once. */
  void check(Device device, String form, boolean selectorsInRegisters) {
    int[][] got = run(device, form, selectorsInRegisters);
    for (int row = 0; row < ROWS; row++) {
      for (int column = 0; column < COLUMNS; column++) {
        assertThat(got[row][column])
            .as("%s, row %d column %d", form, row, column)
            .isEqualTo(sumBits(expected(row, column)));
      }
    }
  }
}
