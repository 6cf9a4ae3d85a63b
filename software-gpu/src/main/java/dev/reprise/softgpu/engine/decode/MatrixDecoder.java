package dev.reprise.softgpu.engine.decode;

import dev.reprise.softgpu.engine.exec.MatrixBytesOp;
import dev.reprise.softgpu.engine.exec.MatrixElement;
import dev.reprise.softgpu.engine.exec.MatrixFragment;
import dev.reprise.softgpu.engine.exec.MatrixMultiplyOp;
import dev.reprise.softgpu.engine.exec.MatrixRowsOp;
import dev.reprise.softgpu.engine.exec.MatrixTransposeOp;
import dev.reprise.softgpu.engine.exec.MemoryAddress;
import dev.reprise.softgpu.ptx.Operand;
import dev.reprise.softgpu.ptx.PtxType;
import dev.reprise.softgpu.ptx.Space;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * {@code ldmatrix}, {@code stmatrix} and {@code movmatrix} (PTX ISA, "Warp Level Matrix
 * Multiply-Accumulate Instructions"), and what instructions on fragments have in common.
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
    @Override
    public String toString() {
      return "m" + m + "n" + n + "k" + k;
    }

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
        if (m != MatrixElement.E2M1_IN_BYTE && text(m).equals(modifier)) {
          all.add(m);
          f.take(modifier);
        }
      }
    }
    return all;
  }

  /** How a type is written, without the dot. */
  static String text(MatrixElement type) {
    return type == MatrixElement.E2M1_IN_BYTE ? "e2m1" : type.name().toLowerCase(Locale.ROOT);
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
    String shape = store ? f.require("m8n8", "m16n8") : f.require("m8n8", "m16n16", "m8n16");
    int count = f.require("x1", "x2", "x4").charAt(1) - '0';
    boolean transposed = f.take("trans");
    if (shape.equals("m8n8")) {
      pairs(f, store, count, transposed);
    } else {
      bytes(f, MatrixBytesOp.Shape.valueOf(shape.toUpperCase(Locale.ROOT)), count, transposed);
    }
  }

  /** Matrices of 8 x 8 elements of 16 bits. */
  private void pairs(Form f, boolean store, int count, boolean transposed) {
    Space space = sharedSpace(f);
    if (f.typeCount() != 1 || f.type() != PtxType.B16) {
      throw f.error("has elements of .b16 in matrices of this shape");
    }
    f.done(2);
    MemoryAddress address = memory.address(f.operand(store ? 0 : 1), space, 16);
    int[] arrays = arrays(f, store, count);
    e.emit(new MatrixRowsOp(address, arrays, transposed, store, everyLane(e)));
    e.end();
  }

  private void bytes(Form f, MatrixBytesOp.Shape shape, int count, boolean transposed) {
    Space space = sharedSpace(f);
    boolean store = shape == MatrixBytesOp.Shape.M16N8;
    boolean wide = shape == MatrixBytesOp.Shape.M8N16;
    if (transposed == wide) {
      throw f.error(wide ? "exists without .trans only" : "needs .trans");
    }
    if (count * shape.registers() > 4) {
      throw f.error("exists for .x1 and .x2 only");
    }
    int bits = 8;
    if (!store && f.take("b8x16")) {
      bits = f.require("b6x16_p32", "b4x16_p64").charAt(1) - '0';
    }
    if (bits == 8 && (wide || f.typeCount() != 1 || f.type() != PtxType.B8)) {
      throw f.error(
          store
              ? "has elements of .b8 in matrices of this shape"
              : "needs "
                  + (wide ? "" : ".b8, ")
                  + ".b8x16.b6x16_p32 or .b8x16.b4x16_p64 for matrices of this shape");
    }
    if (bits != 8 && f.typeCount() != 0) {
      throw f.unsupported();
    }
    f.done(2);
    MemoryAddress address = memory.address(f.operand(store ? 0 : 1), space, 16);
    int[] arrays = arrays(f, store, count * shape.registers());
    e.emit(new MatrixBytesOp(address, shape, bits, arrays, everyLane(e)));
    e.end();
  }

  private static Space sharedSpace(Form f) {
    Space space = MemoryDecoder.space(f);
    if (space != Space.SHARED && space != Space.GENERIC) {
      throw f.error("is for shared memory");
    }
    return space;
  }

  private int[] arrays(Form f, boolean store, int count) {
    List<Operand> parts = registers(f, store ? 1 : 0, count);
    int[] arrays = new int[count];
    for (int r = 0; r < count; r++) {
      arrays[r] =
          store ? e.ints(parts.get(r), PtxType.B32) : e.intDestination(parts.get(r), PtxType.B32);
    }
    return arrays;
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
