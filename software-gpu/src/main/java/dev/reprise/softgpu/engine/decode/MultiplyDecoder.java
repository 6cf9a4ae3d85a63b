package dev.reprise.softgpu.engine.decode;

import dev.reprise.softgpu.engine.decode.MatrixDecoder.Extent;
import dev.reprise.softgpu.engine.exec.MatrixElement;
import dev.reprise.softgpu.engine.exec.MatrixFragment;
import dev.reprise.softgpu.engine.exec.MatrixMultiplyOp;
import dev.reprise.softgpu.engine.exec.Multiplicand;
import dev.reprise.softgpu.engine.exec.ScaleFactors;
import dev.reprise.softgpu.engine.exec.ScaledFragment;
import dev.reprise.softgpu.engine.exec.SparseFragment;
import dev.reprise.softgpu.engine.exec.SparseLayout;
import dev.reprise.softgpu.engine.math.RoundingMode;
import dev.reprise.softgpu.ptx.Operand;
import dev.reprise.softgpu.ptx.PtxType;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code mma.sync}, dense, sparse and with scale factors (PTX ISA, "Multiply-and-Accumulate
 * Instruction: mma" and "mma.sp"). Fragments lie as the manual fixes them.
 */
final class MultiplyDecoder {
  private final Emitter e;
  private final MatrixDecoder matrices;

  MultiplyDecoder(Emitter e, MatrixDecoder matrices) {
    this.e = e;
    this.matrices = matrices;
  }

  void mma(Form f) {
    MatrixDecoder.aligned(f);
    MultiplyForm form = MultiplyForm.take(f);
    List<String> orders =
        f.instruction().modifiers().stream()
            .filter(x -> x.equals("row") || x.equals("col"))
            .toList();
    orders.forEach(f::take);
    if (orders.size() != 2) {
      throw f.error("needs the orders of a and b, such as .row.col");
    }
    boolean saturate = form.a().integral() && f.take("satfinite");
    MatrixMultiplyOp.BitOperation bits = MatrixDecoder.bitOperation(f);
    RoundingMode rounding = form.a() == MatrixElement.F64 ? f.rounding() : RoundingMode.RN;
    f.done(4 + (form.sparse() ? 2 : 0) + (form.factors() > 0 ? 4 : 0));
    boolean quads = form.quads();
    if (!quads && !orders.equals(List.of("row", "col"))) {
      throw f.error("exists with .row.col only");
    }
    if ((form.a() == MatrixElement.B1) != (bits != MatrixMultiplyOp.BitOperation.NONE)) {
      throw f.error("goes with .xor.popc or .and.popc for .b1, and for nothing else");
    }
    Extent s = form.shape();
    int copies = quads ? 4 : 1;
    // Of a sparse matrix, half is held; it lies like a matrix of that size.
    Extent held = form.sparse() ? new Extent(s.m(), s.n(), s.k() / 2) : s;
    MatrixFragment a =
        matrices.source(
            f,
            1,
            form.a(),
            copies * s.m() * held.k(),
            layoutOfA(held, form.a(), quads, orders.get(0)));
    MatrixFragment b =
        matrices.source(
            f, 2, form.b(), copies * s.k() * s.n(), layoutOfB(s, form.b(), quads, orders.get(1)));
    MatrixFragment c =
        matrices.source(f, 3, form.c(), copies * s.m() * s.n(), layoutOfC(s, form.c(), quads));
    Multiplicand left = form.sparse() ? sparse(f, a, s.k()) : a;
    Multiplicand right = b;
    if (form.factors() > 0) {
      int at = form.sparse() ? 6 : 4;
      left = new ScaledFragment(left, factors(f, form, at, true), held.k(), s.k());
      right = new ScaledFragment(right, factors(f, form, at + 2, false), s.n(), s.k());
    }
    MatrixFragment d =
        matrices.destination(f, 0, form.d(), copies * s.m() * s.n(), layoutOfC(s, form.d(), quads));
    e.emit(
        new MatrixMultiplyOp(
            new MatrixMultiplyOp.Shape(s.m(), s.n(), s.k(), copies),
            d,
            left,
            right,
            c,
            bits,
            rounding,
            saturate,
            MatrixDecoder.everyLane(e)));
    e.end();
  }

  /** With the operands for metadata and the sparsity selector. */
  private SparseFragment sparse(Form f, MatrixFragment half, int columns) {
    SparseLayout layout = SparseLayout.of(half.element(), columns);
    int metadata = e.ints(e.bits(f.operand(4), 4, "with metadata"), PtxType.B32);
    if (!(f.operand(5) instanceof Operand.IntImmediate selector)
        || selector.value() < 0
        || selector.value() >= layout.selectors()) {
      int most = layout.selectors() - 1;
      throw f.error(
          "needs "
              + (most == 0 ? "0" : "a constant from 0 to " + most)
              + " as sparsity selector, not "
              + f.operand(5));
    }
    return new SparseFragment(half, layout, metadata, (int) selector.value());
  }

  /** Scale factors: the data, and in braces the byte and the thread. */
  private ScaleFactors factors(Form f, MultiplyForm form, int at, boolean left) {
    List<Operand> selectors =
        f.operand(at + 1) instanceof Operand.Vector v ? v.elements() : List.of();
    if (selectors.size() != 2) {
      throw f.error("needs {byte-id, thread-id} as operand " + (at + 2));
    }
    List<Integer> arrays = new ArrayList<>();
    for (Operand o : selectors) {
      boolean constant = o instanceof Operand.IntImmediate;
      arrays.add(e.ints(constant ? o : e.bits(o, 2, "or a constant as selector"), PtxType.B32));
    }
    ScaleFactors factors =
        new ScaleFactors(
            left,
            form.factors(),
            form.powers(),
            e.ints(e.bits(f.operand(at), 4, "with scale factors"), PtxType.B32),
            arrays.get(0),
            arrays.get(1),
            f.instruction().line(),
            f.instruction().form());
    // What is known already is checked already.
    int first = constant(selectors.get(0));
    int thread = constant(selectors.get(1));
    if (!factors.selects(first, thread)) {
      throw f.error("is wrong: " + factors.wrong(first, thread));
    }
    return factors;
  }

  /** The value of a constant, 0 for a register. */
  private static int constant(Operand o) {
    return o instanceof Operand.IntImmediate i ? Math.clamp(i.value(), -1, 0xffff) : 0;
  }

  private static MatrixFragment.Layout layoutOfA(
      Extent s, MatrixElement t, boolean quads, String order) {
    if (quads) {
      return (lane, i) -> {
        int upper = lane >= 16 ? 4 : 0;
        int row = order.equals("row") ? lane % 4 + upper : i + upper;
        int column = order.equals("row") ? i : lane % 4;
        return (quad(lane) * s.m() + row) * s.k() + column;
      };
    }
    int per = t.perRegister();
    return (lane, i) -> {
      int register = i / per;
      // With 16 rows, every second register holds the lower eight.
      int row = (lane >> 2) + (s.m() == 16 ? 8 * (register & 1) : 0);
      int block = s.m() == 16 ? register >> 1 : register;
      return row * s.k() + lane % 4 * per + i % per + 4 * per * block;
    };
  }

  private static MatrixFragment.Layout layoutOfB(
      Extent s, MatrixElement t, boolean quads, String order) {
    if (quads) {
      return (lane, i) -> {
        int upper = lane >= 16 ? 4 : 0;
        int row = order.equals("row") ? lane % 4 : i;
        int column = order.equals("row") ? i + upper : lane % 4 + upper;
        return (quad(lane) * s.k() + row) * s.n() + column;
      };
    }
    int per = t.perRegister();
    return (lane, i) -> (lane % 4 * per + i % per + 4 * per * (i / per)) * s.n() + (lane >> 2);
  }

  private static MatrixFragment.Layout layoutOfC(Extent s, MatrixElement t, boolean quads) {
    if (quads) {
      return (lane, i) -> {
        int upper = lane >= 16 ? 4 : 0;
        boolean half = t == MatrixElement.F16;
        int row = half ? lane % 4 + upper : (lane & 1) + (i & 2) + upper;
        int column = half ? i : (i & 4) + (lane & 2) + (i & 1);
        return (quad(lane) * s.m() + row) * s.n() + column;
      };
    }
    return (lane, i) -> ((lane >> 2) + 8 * (i >> 1)) * s.n() + lane % 4 * 2 + (i & 1);
  }

  /** Which of four products a lane works on. */
  private static int quad(int lane) {
    return lane % 16 / 4;
  }
}
