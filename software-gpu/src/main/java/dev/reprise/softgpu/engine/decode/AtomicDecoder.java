package dev.reprise.softgpu.engine.decode;

import dev.reprise.softgpu.engine.exec.AtomicOp;
import dev.reprise.softgpu.engine.exec.AtomicOp.IntUpdate;
import dev.reprise.softgpu.engine.exec.AtomicOp.LongUpdate;
import dev.reprise.softgpu.engine.exec.AtomicVectorOp;
import dev.reprise.softgpu.engine.exec.AtomicWideOp;
import dev.reprise.softgpu.engine.exec.MemoryAddress;
import dev.reprise.softgpu.engine.math.FloatBits;
import dev.reprise.softgpu.engine.math.HalfFormat;
import dev.reprise.softgpu.ptx.Operand;
import dev.reprise.softgpu.ptx.PtxType;
import dev.reprise.softgpu.ptx.Space;
import java.util.List;

/**
 * {@code atom} and {@code red} (PTX ISA, "Parallel Synchronization and Communication
 * Instructions").
 */
final class AtomicDecoder {
  private final Emitter e;
  private final MemoryDecoder memory;

  AtomicDecoder(Emitter e, MemoryDecoder memory) {
    this.e = e;
    this.memory = memory;
  }

  void atomic(Form f) {
    boolean returns = f.opcode().equals("atom");
    Space space = MemoryDecoder.space(f);
    if (space == Space.CONST || space == Space.LOCAL || space == Space.PARAM) {
      throw f.unsupported();
    }
    // All updates are sequentially consistent here, which is more than any of these ask for.
    f.ignore("relaxed", "acquire", "release", "acq_rel", "cta", "cluster", "gpu", "sys", "noftz");
    boolean policy = f.take("L2::cache_hint");
    String op = f.require("add", "min", "max", "and", "or", "xor", "exch", "inc", "dec", "cas");
    PtxType t = f.type();
    int first = returns ? 1 : 0;
    boolean cas = op.equals("cas");
    String vector = f.takeAny("v2", "v4", "v8");
    f.done(first + (cas ? 3 : 2) + (policy ? 1 : 0));
    if (vector != null) {
      vector(f, space, op, t, vector.charAt(1) - '0');
      return;
    }
    if (t == PtxType.B128) {
      wide(f, space, op);
      return;
    }
    MemoryAddress address = memory.address(f.operand(first), space, t.bytes());
    if (t.bytes() == 8) {
      LongUpdate update = longUpdate(f, op, t);
      int b = e.longs(f.operand(first + 1), t);
      int c = cas ? e.longs(f.operand(first + 2), t) : b;
      int to = returns ? e.longDestination(f.operand(0)) : -1;
      e.emit(AtomicOp.ofLong(address, update, to, b, c));
    } else {
      IntUpdate update = intUpdate(f, op, t);
      // The bits of the operand, whatever register holds them.
      PtxType bits = t.bytes() == 4 ? PtxType.B32 : PtxType.B16;
      int b = e.ints(f.operand(first + 1), bits);
      int c = cas ? e.ints(f.operand(first + 2), bits) : b;
      int to = returns ? e.intDestination(f.operand(0), bits) : -1;
      e.emit(AtomicOp.ofInt(address, update, to, b, c));
    }
    e.end();
  }

  private void vector(Form f, Space space, String op, PtxType t, int n) {
    int first = f.opcode().equals("atom") ? 1 : 0;
    if (!t.floating() || t == PtxType.F64 || (t == PtxType.F32 && !op.equals("add"))) {
      throw f.unsupported();
    }
    MemoryAddress address = memory.address(f.operand(first), space, t.bytes() * n);
    IntUpdate update = intUpdate(f, op, t);
    PtxType bits = t.bytes() == 4 ? PtxType.B32 : PtxType.B16;
    List<Operand> from = MemoryDecoder.elements(f, f.operand(first + 1), n);
    int[] operands = new int[n];
    for (int k = 0; k < n; k++) {
      operands[k] = e.ints(from.get(k), bits);
    }
    int[] results = null;
    if (first == 1) {
      List<Operand> to = MemoryDecoder.elements(f, f.operand(0), n);
      results = new int[n];
      for (int k = 0; k < n; k++) {
        results[k] = e.intDestination(to.get(k), bits);
      }
    }
    e.emit(new AtomicVectorOp(address, update, t.bytes(), results, operands));
    e.end();
  }

  private void wide(Form f, Space space, String op) {
    boolean cas = op.equals("cas");
    if (!f.opcode().equals("atom") || !(cas || op.equals("exch"))) {
      throw f.unsupported();
    }
    MemoryAddress address = memory.address(f.operand(1), space, 16);
    AtomicWideOp.Halves b = halves(f.operand(2));
    AtomicWideOp.Halves c = cas ? halves(f.operand(3)) : b;
    e.emit(new AtomicWideOp(address, cas, halves(f.operand(0)), b, c));
  }

  private AtomicWideOp.Halves halves(Operand o) {
    VirtualRegister r = e.wide(o);
    return new AtomicWideOp.Halves(e.half(r, false), e.half(r, true));
  }

  static IntUpdate intUpdate(Form f, String op, PtxType t) {
    if (t.bytes() == 1) {
      throw f.unsupported();
    }
    if (t.bytes() == 2 && !t.floating()) {
      // Only exchanges exist for plain 16 bits.
      return switch (op) {
        case "cas" -> (old, b, c) -> old == b ? c : old;
        case "exch" -> (old, b, c) -> b;
        default -> throw f.unsupported();
      };
    }
    if (t == PtxType.F32) {
      return switch (op) {
        case "add" ->
            (old, b, c) ->
                Float.floatToRawIntBits(
                    canonical(Float.intBitsToFloat(old) + Float.intBitsToFloat(b)));
        case "exch" -> (old, b, c) -> b;
        default -> throw f.unsupported();
      };
    }
    if (t.floating()) {
      return halfUpdate(f, op, t);
    }
    boolean signed = t.signed();
    return switch (op) {
      case "add" -> (old, b, c) -> old + b;
      case "min" ->
          signed
              ? (old, b, c) -> Math.min(old, b)
              : (old, b, c) -> Integer.compareUnsigned(old, b) < 0 ? old : b;
      case "max" ->
          signed
              ? (old, b, c) -> Math.max(old, b)
              : (old, b, c) -> Integer.compareUnsigned(old, b) > 0 ? old : b;
      case "and" -> (old, b, c) -> old & b;
      case "or" -> (old, b, c) -> old | b;
      case "xor" -> (old, b, c) -> old ^ b;
      case "exch" -> (old, b, c) -> b;
      case "inc" -> (old, b, c) -> Integer.compareUnsigned(old, b) >= 0 ? 0 : old + 1;
      case "dec" -> (old, b, c) -> old == 0 || Integer.compareUnsigned(old, b) > 0 ? b : old - 1;
      case "cas" -> (old, b, c) -> old == b ? c : old;
      default -> throw f.unsupported();
    };
  }

  private static float canonical(float v) {
    return Float.isNaN(v) ? FloatBits.NAN : v;
  }

  private static IntUpdate halfUpdate(Form f, String op, PtxType t) {
    HalfFormat h = HalfDecoder.format(t);
    HalfFormat.Binary apply =
        switch (op) {
          case "add" -> (x, y) -> x + y;
          case "min" -> FloatBits::min;
          case "max" -> FloatBits::max;
          default -> throw f.unsupported();
        };
    return HalfDecoder.packed(t)
        ? (old, b, c) -> h.applyPair(old, b, apply)
        : (old, b, c) -> h.apply(old, b, apply);
  }

  static LongUpdate longUpdate(Form f, String op, PtxType t) {
    if (t == PtxType.F64) {
      return switch (op) {
        case "add" ->
            (old, b, c) ->
                Double.doubleToRawLongBits(
                    Double.longBitsToDouble(old) + Double.longBitsToDouble(b));
        case "exch" -> (old, b, c) -> b;
        default -> throw f.unsupported();
      };
    }
    boolean signed = t.signed();
    return switch (op) {
      case "add" -> (old, b, c) -> old + b;
      case "min" ->
          signed
              ? (old, b, c) -> Math.min(old, b)
              : (old, b, c) -> Long.compareUnsigned(old, b) < 0 ? old : b;
      case "max" ->
          signed
              ? (old, b, c) -> Math.max(old, b)
              : (old, b, c) -> Long.compareUnsigned(old, b) > 0 ? old : b;
      case "and" -> (old, b, c) -> old & b;
      case "or" -> (old, b, c) -> old | b;
      case "xor" -> (old, b, c) -> old ^ b;
      case "exch" -> (old, b, c) -> b;
      case "cas" -> (old, b, c) -> old == b ? c : old;
      default -> throw f.unsupported();
    };
  }
}
