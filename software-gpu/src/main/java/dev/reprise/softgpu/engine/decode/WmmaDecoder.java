package dev.reprise.softgpu.engine.decode;

import dev.reprise.softgpu.engine.exec.MatrixAccessOp;
import dev.reprise.softgpu.engine.exec.MatrixElement;
import dev.reprise.softgpu.engine.exec.MatrixFragment;
import dev.reprise.softgpu.engine.exec.MatrixMultiplyOp;
import dev.reprise.softgpu.engine.exec.MemoryAddress;
import dev.reprise.softgpu.engine.math.RoundingMode;
import dev.reprise.softgpu.ptx.Operand;
import dev.reprise.softgpu.ptx.PtxType;
import dev.reprise.softgpu.ptx.Space;
import java.util.List;

/**
 * {@code wmma} (PTX ISA, "Warp Level Matrix Multiply-Accumulate Instructions"). The layout of
 * fragments is ours: lane l holds the elements from l times their number on, by rows. Fragments of
 * f16 multiplicands may have room for more, and hold everything as often as it fits.
 */
final class WmmaDecoder {
  private final Emitter e;
  private final MemoryDecoder memory;
  private final MatrixDecoder matrices;

  WmmaDecoder(Emitter e, MemoryDecoder memory, MatrixDecoder matrices) {
    this.e = e;
    this.memory = memory;
    this.matrices = matrices;
  }

  /** One of the matrices of an instruction. */
  private record Matrix(char which, MatrixElement type, int rows, int columns) {
    static Matrix of(char which, MatrixElement type, MatrixDecoder.Extent s) {
      return switch (which) {
        case 'a' -> new Matrix(which, type, s.m(), s.k());
        case 'b' -> new Matrix(which, type, s.k(), s.n());
        default -> new Matrix(which, type, s.m(), s.n());
      };
    }

    int size() {
      return rows * columns;
    }

    /** Multiplicands of f16 have eight registers whatever their size. */
    boolean repeated() {
      return type == MatrixElement.F16 && (which == 'a' || which == 'b');
    }

    boolean words() {
      return type.bits() < 8;
    }

    int registers() {
      return repeated() ? 8 : size() / 32 / type.perRegister();
    }

    int place(int lane, int element) {
      if (words()) {
        int along = lane % 4 * type.perRegister() + element;
        return which == 'a' ? (lane >> 2) * columns + along : along * columns + (lane >> 2);
      }
      int each = size() / 32;
      return lane * each + element % each;
    }
  }

  void wmma(Form f) {
    String what = f.require("load", "store", "mma");
    // The operand's name comes before the shape; c is also part of no other modifier.
    switch (what) {
      case "load" -> load(f);
      case "store" -> store(f);
      default -> multiply(f);
    }
  }

  private static MatrixElement only(Form f) {
    List<MatrixElement> types = MatrixDecoder.elements(f);
    if (types.size() != 1) {
      throw f.error("needs one type");
    }
    return types.get(0);
  }

  private void load(Form f) {
    char which = f.require("a", "b", "c").charAt(0);
    access(f, which, false);
  }

  private void store(Form f) {
    f.require("d");
    access(f, 'd', true);
  }

  private void access(Form f, char which, boolean store) {
    MatrixDecoder.aligned(f);
    MatrixDecoder.Extent s = MatrixDecoder.Extent.take(f);
    MatrixElement t = only(f);
    boolean byColumns = f.require("row", "col").equals("col");
    Space space = MemoryDecoder.space(f);
    f.done(2, 3);
    Matrix matrix = Matrix.of(which, t, s);
    check(f, s, t);
    if (matrix.words() && byColumns != (which == 'b')) {
      throw f.unsupported();
    }
    int unitBits = Math.max(8, matrix.words() ? 32 : t.bits());
    MemoryAddress address = memory.address(f.operand(store ? 0 : 1), space, unitBits / 8);
    List<Operand> parts = MatrixDecoder.registers(f, store ? 1 : 0, matrix.registers());
    int[] arrays = new int[parts.size()];
    for (int r = 0; r < arrays.length; r++) {
      Operand o = parts.get(r);
      arrays[r] =
          t == MatrixElement.F64
              ? (store ? e.doubles(o) : e.doubleDestination(o))
              : store ? e.ints(o, PtxType.B32) : e.intDestination(o, PtxType.B32);
    }
    int perWord = matrix.words() ? t.perRegister() : 1;
    int columns = which == 'a' ? matrix.columns / perWord : matrix.columns;
    int units = arrays.length * (matrix.words() ? 1 : t.perRegister());
    int[] places = new int[32 * units];
    for (int lane = 0; lane < 32; lane++) {
      for (int u = 0; u < units; u++) {
        places[lane * units + u] =
            !matrix.words()
                ? matrix.place(lane, u)
                : which == 'a' ? lane : lane % 4 * columns + (lane >> 2);
      }
    }
    int line = byColumns ? matrix.rows : matrix.columns;
    int stride = f.operands() == 3 ? e.ints(f.operand(2), PtxType.B32) : e.registers.constant(line);
    e.emit(
        new MatrixAccessOp(
            address,
            new MatrixAccessOp.Memory(unitBits, perWord, matrix.rows, columns, byColumns),
            arrays,
            places,
            stride,
            store,
            MatrixDecoder.everyLane(e)));
    e.end();
  }

  private static void check(Form f, MatrixDecoder.Extent s, MatrixElement t) {
    String shape = s.m() + "," + s.n() + "," + s.k();
    boolean wide = shape.equals("16,16,16") || shape.equals("8,32,16") || shape.equals("32,8,16");
    boolean known =
        switch (t) {
          case F16, BF16, S8, U8 -> wide;
          case F32 -> wide || shape.equals("16,16,8");
          case S32 -> wide || shape.equals("8,8,32") || shape.equals("8,8,128");
          case TF32 -> shape.equals("16,16,8");
          case F64 -> shape.equals("8,8,4");
          case S4, U4 -> shape.equals("8,8,32");
          case B1 -> shape.equals("8,8,128");
          default -> false;
        };
    if (!known) {
      throw f.unsupported();
    }
  }

  private void multiply(Form f) {
    MatrixMultiplyOp.BitOperation bits = MatrixDecoder.bitOperation(f);
    MatrixDecoder.aligned(f);
    MatrixDecoder.Extent s = MatrixDecoder.Extent.take(f);
    List<MatrixElement> types = MatrixDecoder.elements(f);
    // How memory is laid out was settled by the loads.
    f.require("row", "col");
    f.ignore("row", "col");
    boolean saturate = f.take("satfinite");
    RoundingMode rounding = f.rounding();
    f.done(4);
    boolean halves = types.size() == 2;
    if (!halves && types.size() != 4) {
      throw f.error("needs two types, of d and c, or four");
    }
    MatrixElement ta = halves ? MatrixElement.F16 : types.get(1);
    MatrixElement tb = halves ? MatrixElement.F16 : types.get(2);
    MatrixElement tc = types.get(halves ? 1 : 3);
    check(f, s, ta);
    boolean sums =
        ta == MatrixElement.F64
            ? types.get(0) == ta && tc == ta
            : ta.integral()
                ? types.get(0) == MatrixElement.S32 && tc == MatrixElement.S32
                : accumulator(types.get(0), ta) && accumulator(tc, ta);
    if (!sums || ta.bits() != tb.bits() || ta.integral() != tb.integral()) {
      throw f.unsupported();
    }
    MatrixFragment a = source(f, 1, Matrix.of('a', ta, s));
    MatrixFragment b = source(f, 2, Matrix.of('b', tb, s));
    MatrixFragment c = source(f, 3, Matrix.of('c', tc, s));
    Matrix result = Matrix.of('d', types.get(0), s);
    MatrixFragment d = matrices.destination(f, 0, result.type, result.size(), result::place);
    e.emit(
        new MatrixMultiplyOp(
            new MatrixMultiplyOp.Shape(s.m(), s.n(), s.k(), 1),
            d,
            a,
            b,
            c,
            bits,
            rounding,
            saturate,
            MatrixDecoder.everyLane(e)));
    e.end();
  }

  private static boolean accumulator(MatrixElement sum, MatrixElement of) {
    return sum == MatrixElement.F32 || (of == MatrixElement.F16 && sum == MatrixElement.F16);
  }

  private MatrixFragment source(Form f, int k, Matrix m) {
    List<Operand> parts = MatrixDecoder.registers(f, k, m.registers());
    int[] arrays = new int[parts.size()];
    for (int r = 0; r < arrays.length; r++) {
      arrays[r] =
          m.type == MatrixElement.F64 ? e.doubles(parts.get(r)) : e.ints(parts.get(r), PtxType.B32);
    }
    return MatrixFragment.of(m.type, arrays, m.size(), m::place);
  }
}
