package dev.reprise.softgpu.engine.decode;

import dev.reprise.softgpu.engine.exec.ActionOp;
import dev.reprise.softgpu.engine.exec.Warp;
import dev.reprise.softgpu.ptx.PtxType;
import org.jspecify.annotations.Nullable;

/**
 * Extended-precision instructions, which read and write the carry flag of each lane (PTX ISA,
 * "Extended-Precision Arithmetic").
 */
final class CarryDecoder {
  private final Emitter e;

  CarryDecoder(Emitter e) {
    this.e = e;
  }

  static boolean handles(Form f) {
    return switch (f.opcode()) {
      case "addc", "subc", "madc" -> true;
      case "add", "sub", "mad" -> f.instruction().has("cc");
      default -> false;
    };
  }

  /**
   * Carry chains work on the sum {@code x + y + carry}; a difference is {@code x + ~y + 1 -
   * borrow}, and the flag holds the borrow.
   */
  void arithmetic(Form f) {
    PtxType t = f.type();
    boolean set = f.take("cc");
    boolean use = f.opcode().endsWith("c");
    boolean subtract = f.opcode().startsWith("sub");
    boolean multiply = f.opcode().startsWith("mad");
    @Nullable String part = multiply ? f.require("lo", "hi") : null;
    boolean high = "hi".equals(part);
    f.done(multiply ? 4 : 3);
    if (t.bytes() == 8) {
      longs(f, t, set, use, subtract, multiply, high);
      return;
    }
    if (t.bytes() != 4) {
      throw f.unsupported();
    }
    boolean signed = t.signed();
    int a = e.ints(f.operand(1), t);
    int b = e.ints(f.operand(2), t);
    int c = multiply ? e.ints(f.operand(3), t) : 0;
    int to = e.intDestination(f.operand(0), t);
    e.emit(
        new ActionOp((w, m) -> {
          int[] d = w.i[to];
          for (int rest = m; rest != 0; rest &= rest - 1) {
            int k = Integer.numberOfTrailingZeros(rest);
            long x = w.i[a][k];
            long y = w.i[b][k];
            if (multiply) {
              long product = signed ? x * y : (x & 0xffff_ffffL) * (y & 0xffff_ffffL);
              x = high ? product >>> 32 : product;
              y = w.i[c][k];
            }
            int carry = use ? w.carry >>> k & 1 : 0;
            long sum =
                (x & 0xffff_ffffL)
                    + (subtract ? (~y & 0xffff_ffffL) + 1 - carry : (y & 0xffff_ffffL) + carry);
            d[k] = (int) sum;
            if (set) {
              flag(w, k, (sum >>> 32 != 0) != subtract);
            }
          }
        }));
    e.end();
  }

  private void longs(
      Form f,
      PtxType t,
      boolean set,
      boolean use,
      boolean subtract,
      boolean multiply,
      boolean high) {
    boolean signed = t.signed();
    int a = e.longs(f.operand(1), t);
    int b = e.longs(f.operand(2), t);
    int c = multiply ? e.longs(f.operand(3), t) : 0;
    int to = e.longDestination(f.operand(0));
    e.emit(
        new ActionOp((w, m) -> {
          long[] d = w.l[to];
          for (int rest = m; rest != 0; rest &= rest - 1) {
            int k = Integer.numberOfTrailingZeros(rest);
            long x = w.l[a][k];
            long y = w.l[b][k];
            if (multiply) {
              x =
                  !high
                      ? x * y
                      : signed ? Math.multiplyHigh(x, y) : Math.unsignedMultiplyHigh(x, y);
              y = w.l[c][k];
            }
            int carry = use ? w.carry >>> k & 1 : 0;
            long addend = subtract ? ~y : y;
            int in = subtract ? 1 - carry : carry;
            long partial = x + addend;
            long sum = partial + in;
            boolean out =
                Long.compareUnsigned(partial, x) < 0 || Long.compareUnsigned(sum, partial) < 0;
            d[k] = sum;
            if (set) {
              flag(w, k, out != subtract);
            }
          }
        }));
    e.end();
  }

  private static void flag(Warp w, int lane, boolean value) {
    w.carry = value ? w.carry | 1 << lane : w.carry & ~(1 << lane);
  }
}
