package dev.reprise.softgpu.engine.decode;

import dev.reprise.softgpu.engine.exec.MatrixElement;
import dev.reprise.softgpu.engine.exec.MatrixFragment;
import dev.reprise.softgpu.engine.exec.MatrixMultiplyOp;
import dev.reprise.softgpu.engine.exec.MatrixRowsOp;
import dev.reprise.softgpu.engine.exec.MatrixTransposeOp;
import dev.reprise.softgpu.engine.exec.MemoryAddress;
import dev.reprise.softgpu.engine.math.RoundingMode;
import dev.reprise.softgpu.ptx.Operand;
import dev.reprise.softgpu.ptx.PtxType;
import dev.reprise.softgpu.ptx.Space;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * {@code mma.sync}, {@code ldmatrix}, {@code stmatrix} and {@code movmatrix} (PTX ISA, "Warp Level
 * Matrix Multiply-Accumulate Instructions"). Fragments lie as the manual fixes them.
 */
final class MatrixDecoder {
  private final Emitter e;
  private final MemoryDecoder memory;

  MatrixDecoder(Emitter e, MemoryDecoder memory) {
    this.e = e;
    this.memory = memory;
  }

  /** Numbers of {@code m16n8k16}. */
  record Extent(int m, int n, int k) {
    /** Takes the shape from the modifiers. */
    static Extent take(Form f) {
      for (String modifier : f.instruction().modifiers()) {
        if (modifier.matches("m\\d{1,2}n\\d{1,2}k\\d{1,3}") && f.take(modifier)) {
          String[] parts = modifier.substring(1).split("[nk]", -1);
          return new Extent(
              Integer.parseInt(parts[0]), Integer.parseInt(parts[1]), Integer.parseInt(parts[2]));
        }
      }
      throw f.error("needs a shape such as .m16n8k16");
    }
  }

  /** The element types that an instruction names, in order. */
  static List<MatrixElement> elements(Form f) {
    List<MatrixElement> all = new ArrayList<>();
    for (String modifier : f.instruction().modifiers()) {
      for (MatrixElement m : MatrixElement.values()) {
        if (m.name().toLowerCase(Locale.ROOT).equals(modifier)) {
          all.add(m);
          f.take(modifier);
        }
      }
    }
    return all;
  }

  static void aligned(Form f) {
    if (!f.take("sync")) {
      throw f.unsupported();
    }
    f.ignore("aligned");
  }

  /** All lanes take part. */
  static int everyLane(Emitter e) {
    return e.registers.constant(-1);
  }

  void multiply(Form f) {
    aligned(f);
    Extent s = Extent.take(f);
    List<MatrixElement> types = elements(f);
    List<String> orders =
        f.instruction().modifiers().stream()
            .filter(x -> x.equals("row") || x.equals("col"))
            .toList();
    orders.forEach(f::take);
    if (orders.size() != 2) {
      throw f.error("needs the orders of a and b, such as .row.col");
    }
    String layoutA = orders.get(0);
    String layoutB = orders.get(1);
    boolean saturate = f.take("satfinite");
    MatrixMultiplyOp.BitOperation bits = bitOperation(f);
    RoundingMode rounding = f.rounding();
    f.done(4);
    if (types.size() != 4) {
      throw f.error("needs four types: of d, a, b and c");
    }
    boolean quads = s.equals(new Extent(8, 8, 4)) && types.get(1) == MatrixElement.F16;
    if (!quads && (!layoutA.equals("row") || !layoutB.equals("col"))) {
      throw f.unsupported();
    }
    check(f, s, types);
    int copies = quads ? 4 : 1;
    MatrixFragment a =
        source(f, 1, types.get(1), copies * s.m * s.k, layoutOfA(s, types.get(1), quads, layoutA));
    MatrixFragment b =
        source(f, 2, types.get(2), copies * s.k * s.n, layoutOfB(s, types.get(2), quads, layoutB));
    MatrixFragment c =
        source(f, 3, types.get(3), copies * s.m * s.n, layoutOfC(s, types.get(3), quads));
    MatrixFragment d =
        destination(f, 0, types.get(0), copies * s.m * s.n, layoutOfC(s, types.get(0), quads));
    e.emit(
        new MatrixMultiplyOp(
            new MatrixMultiplyOp.Shape(s.m, s.n, s.k, copies),
            d,
            a,
            b,
            c,
            bits,
            rounding,
            saturate,
            everyLane(e)));
    e.end();
  }

  static MatrixMultiplyOp.BitOperation bitOperation(Form f) {
    String bits = f.takeAny("xor", "and");
    if (bits == null) {
      return MatrixMultiplyOp.BitOperation.NONE;
    }
    if (!f.take("popc")) {
      throw f.error("needs .popc");
    }
    return MatrixMultiplyOp.BitOperation.valueOf(bits.toUpperCase(Locale.ROOT));
  }

  /** The shapes that exist for the types of the multiplicands. */
  private static void check(Form f, Extent s, List<MatrixElement> types) {
    MatrixElement a = types.get(1);
    MatrixElement b = types.get(2);
    String shape = s.m + "," + s.n + "," + s.k;
    boolean known =
        switch (a) {
          case F16 ->
              b == a
                  && (shape.equals("8,8,4") || shape.equals("16,8,8") || shape.equals("16,8,16"));
          case BF16 -> b == a && (shape.equals("16,8,8") || shape.equals("16,8,16"));
          case TF32 -> b == a && (shape.equals("16,8,4") || shape.equals("16,8,8"));
          case F64 ->
              b == a
                  && (shape.equals("8,8,4")
                      || shape.equals("16,8,4")
                      || shape.equals("16,8,8")
                      || shape.equals("16,8,16"));
          case E4M3, E5M2 ->
              (b == MatrixElement.E4M3 || b == MatrixElement.E5M2)
                  && (shape.equals("16,8,16") || shape.equals("16,8,32"));
          case S8, U8 ->
              (b == MatrixElement.S8 || b == MatrixElement.U8)
                  && (shape.equals("8,8,16") || shape.equals("16,8,16") || shape.equals("16,8,32"));
          case S4, U4 ->
              (b == MatrixElement.S4 || b == MatrixElement.U4)
                  && (shape.equals("8,8,32") || shape.equals("16,8,32") || shape.equals("16,8,64"));
          case B1 ->
              b == a
                  && (shape.equals("8,8,128")
                      || shape.equals("16,8,128")
                      || shape.equals("16,8,256"));
          default -> false;
        };
    boolean sums =
        a == MatrixElement.F64
            ? types.get(0) == a && types.get(3) == a
            : a.integral()
                ? types.get(0) == MatrixElement.S32 && types.get(3) == MatrixElement.S32
                : small(types.get(0), a) && small(types.get(3), a);
    if (!known || !sums) {
      throw f.unsupported();
    }
  }

  /** Whether floats of a type may be summed in f16 or only in f32. */
  private static boolean small(MatrixElement sum, MatrixElement of) {
    boolean half = of == MatrixElement.F16 || of == MatrixElement.E4M3 || of == MatrixElement.E5M2;
    return sum == MatrixElement.F32 || (half && sum == MatrixElement.F16);
  }

  private static MatrixFragment.Layout layoutOfA(
      Extent s, MatrixElement t, boolean quads, String order) {
    if (quads) {
      return (lane, i) -> {
        int upper = lane >= 16 ? 4 : 0;
        int row = order.equals("row") ? lane % 4 + upper : i + upper;
        int column = order.equals("row") ? i : lane % 4;
        return (quad(lane) * s.m + row) * s.k + column;
      };
    }
    int per = t.perRegister();
    return (lane, i) -> {
      int register = i / per;
      // With 16 rows, every second register holds the lower eight.
      int row = (lane >> 2) + (s.m == 16 ? 8 * (register & 1) : 0);
      int block = s.m == 16 ? register >> 1 : register;
      return row * s.k + lane % 4 * per + i % per + 4 * per * block;
    };
  }

  private static MatrixFragment.Layout layoutOfB(
      Extent s, MatrixElement t, boolean quads, String order) {
    if (quads) {
      return (lane, i) -> {
        int upper = lane >= 16 ? 4 : 0;
        int row = order.equals("row") ? lane % 4 : i;
        int column = order.equals("row") ? i + upper : lane % 4 + upper;
        return (quad(lane) * s.k + row) * s.n + column;
      };
    }
    int per = t.perRegister();
    return (lane, i) -> (lane % 4 * per + i % per + 4 * per * (i / per)) * s.n + (lane >> 2);
  }

  private static MatrixFragment.Layout layoutOfC(Extent s, MatrixElement t, boolean quads) {
    if (quads) {
      return (lane, i) -> {
        int upper = lane >= 16 ? 4 : 0;
        boolean half = t == MatrixElement.F16;
        int row = half ? lane % 4 + upper : (lane & 1) + (i & 2) + upper;
        int column = half ? i : (i & 4) + (lane & 2) + (i & 1);
        return (quad(lane) * s.m + row) * s.n + column;
      };
    }
    return (lane, i) -> ((lane >> 2) + 8 * (i >> 1)) * s.n + lane % 4 * 2 + (i & 1);
  }

  /** Which of four products a lane works on. */
  private static int quad(int lane) {
    return lane % 16 / 4;
  }

  MatrixFragment source(Form f, int k, MatrixElement t, int size, MatrixFragment.Layout layout) {
    List<Operand> parts = registers(f, k, t, size);
    int[] arrays = new int[parts.size()];
    for (int r = 0; r < arrays.length; r++) {
      arrays[r] =
          t == MatrixElement.F64 ? e.doubles(parts.get(r)) : e.ints(parts.get(r), PtxType.B32);
    }
    return MatrixFragment.of(t, arrays, size, layout);
  }

  MatrixFragment destination(
      Form f, int k, MatrixElement t, int size, MatrixFragment.Layout layout) {
    List<Operand> parts = registers(f, k, t, size);
    int[] arrays = new int[parts.size()];
    for (int r = 0; r < arrays.length; r++) {
      arrays[r] =
          t == MatrixElement.F64
              ? e.doubleDestination(parts.get(r))
              : e.intDestination(parts.get(r), PtxType.B32);
    }
    return MatrixFragment.of(t, arrays, size, layout);
  }

  private static List<Operand> registers(Form f, int k, MatrixElement t, int size) {
    int wanted = size / 32 / t.perRegister();
    return registers(f, k, wanted);
  }

  static List<Operand> registers(Form f, int k, int wanted) {
    List<Operand> parts =
        f.operand(k) instanceof Operand.Vector v ? v.elements() : List.of(f.operand(k));
    if (parts.size() != wanted) {
      throw f.error(
          "needs " + wanted + " registers as operand " + (k + 1) + ", not " + parts.size());
    }
    return parts;
  }

  void rows(Form f) {
    boolean store = f.opcode().equals("stmatrix");
    aligned(f);
    if (!f.take("m8n8")) {
      throw f.unsupported();
    }
    int count = f.require("x1", "x2", "x4").charAt(1) - '0';
    boolean transposed = f.take("trans");
    Space space = MemoryDecoder.space(f);
    f.done(2);
    if (f.type() != PtxType.B16 || (space != Space.SHARED && space != Space.GENERIC)) {
      throw f.unsupported();
    }
    MemoryAddress address = memory.address(f.operand(store ? 0 : 1), space, 16);
    List<Operand> parts = registers(f, store ? 1 : 0, count);
    int[] arrays = new int[count];
    for (int r = 0; r < count; r++) {
      arrays[r] =
          store ? e.ints(parts.get(r), PtxType.B32) : e.intDestination(parts.get(r), PtxType.B32);
    }
    e.emit(new MatrixRowsOp(address, arrays, transposed, store, everyLane(e)));
    e.end();
  }

  void transpose(Form f) {
    aligned(f);
    if (!f.take("m8n8") || !f.take("trans") || f.type() != PtxType.B16) {
      throw f.unsupported();
    }
    f.done(2);
    int from = e.ints(f.operand(1), PtxType.B32);
    e.emit(new MatrixTransposeOp(e.intDestination(f.operand(0), PtxType.B32), from, everyLane(e)));
    e.end();
  }
}
