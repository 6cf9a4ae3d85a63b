package dev.reprise.softgpu.engine.decode;

import dev.reprise.softgpu.engine.exec.ActionOp;
import dev.reprise.softgpu.engine.exec.BarrierOp;
import dev.reprise.softgpu.engine.exec.ElectOp;
import dev.reprise.softgpu.engine.exec.IntOp;
import dev.reprise.softgpu.engine.exec.MatchOp;
import dev.reprise.softgpu.engine.exec.ReduceOp;
import dev.reprise.softgpu.engine.exec.RegisterKind;
import dev.reprise.softgpu.engine.exec.ShuffleOp;
import dev.reprise.softgpu.engine.exec.VoteOp;
import dev.reprise.softgpu.engine.exec.WarpBarrierOp;
import dev.reprise.softgpu.engine.math.FloatBits;
import dev.reprise.softgpu.engine.math.FloatLanes;
import dev.reprise.softgpu.engine.math.IntLanes;
import dev.reprise.softgpu.ptx.Operand;
import dev.reprise.softgpu.ptx.PtxType;
import java.util.Locale;

/** Instructions by which lanes of a warp or warps of a block work together. */
final class WarpDecoder {
  private final Emitter e;
  private final CompareDecoder compare;

  WarpDecoder(Emitter e, CompareDecoder compare) {
    this.e = e;
    this.compare = compare;
  }

  /** The forms without {@code .sync} ended with sm_70. */
  private static void sync(Form f) {
    if (!f.take("sync")) {
      throw f.unsupported();
    }
  }

  void shuffle(Form f) {
    sync(f);
    String mode = f.require("up", "down", "bfly", "idx");
    f.done(5);
    Operand to = f.operand(0);
    int inRange = -1;
    if (to instanceof Operand.Pair pair) {
      to = pair.first();
      inRange = pair.second().sink() ? -1 : e.predicate(pair.second());
    }
    int from = e.ints(f.operand(1), PtxType.B32);
    int offset = e.ints(f.operand(2), PtxType.B32);
    int clamp = e.ints(f.operand(3), PtxType.B32);
    int members = e.ints(f.operand(4), PtxType.B32);
    int d = e.intDestination(to, PtxType.B32);
    ShuffleOp op =
        new ShuffleOp(
            ShuffleOp.Mode.valueOf(mode.toUpperCase(Locale.ROOT)),
            d,
            inRange,
            from,
            offset,
            clamp,
            members);
    boolean constant =
        e.registers.constantOf(offset) != null && e.registers.constantOf(clamp) != null;
    e.emit(constant ? op.constant() : op);
    e.end();
  }

  void vote(Form f) {
    sync(f);
    String mode = f.require("all", "any", "uni", "ballot");
    f.done(3);
    var source = compare.predicate(f.operand(1));
    int members = e.ints(f.operand(2), PtxType.B32);
    boolean ballot = mode.equals("ballot");
    int to = ballot ? e.intDestination(f.operand(0), PtxType.B32) : e.predicate(f.operand(0));
    e.emit(new VoteOp(VoteOp.Mode.valueOf(mode.toUpperCase(Locale.ROOT)), to, source, members));
    e.end();
  }

  void match(Form f) {
    sync(f);
    boolean all = f.require("any", "all").equals("all");
    PtxType t = f.type();
    f.done(3);
    Operand to = f.operand(0);
    int agree = -1;
    if (to instanceof Operand.Pair pair) {
      to = pair.first();
      agree = pair.second().sink() ? -1 : e.predicate(pair.second());
    }
    boolean wide = t.bytes() == 8;
    int from = wide ? e.longs(f.operand(1), t) : e.ints(f.operand(1), t);
    int members = e.ints(f.operand(2), PtxType.B32);
    e.emit(new MatchOp(all, wide, e.intDestination(to, PtxType.B32), agree, from, members));
    e.end();
  }

  void reduce(Form f) {
    sync(f);
    String op = f.require("add", "min", "max", "and", "or", "xor");
    PtxType t = f.type();
    if (t == PtxType.F32) {
      reduceFloats(f, op);
      return;
    }
    f.done(3);
    if (t.floating() || t.bytes() != 4) {
      throw f.unsupported();
    }
    boolean signed = t.signed();
    IntLanes.Binary apply =
        switch (op) {
          case "add" -> (x, y) -> x + y;
          case "and" -> (x, y) -> x & y;
          case "or" -> (x, y) -> x | y;
          case "xor" -> (x, y) -> x ^ y;
          case "min" -> signed ? Math::min : (x, y) -> Integer.compareUnsigned(x, y) < 0 ? x : y;
          default -> signed ? Math::max : (x, y) -> Integer.compareUnsigned(x, y) > 0 ? x : y;
        };
    int from = e.ints(f.operand(1), t);
    int members = e.ints(f.operand(2), PtxType.B32);
    e.emit(new ReduceOp(apply, e.intDestination(f.operand(0), t), from, members));
    e.end();
  }

  private void reduceFloats(Form f, String op) {
    boolean abs = f.take("abs");
    boolean nan = f.take("NaN");
    f.done(3);
    FloatLanes.Binary apply =
        switch (op) {
          case "min" -> nan ? Math::min : FloatBits::min;
          case "max" -> nan ? Math::max : FloatBits::max;
          default -> throw f.unsupported();
        };
    int bits = e.ints(f.operand(1), PtxType.B32);
    int members = e.ints(f.operand(2), PtxType.B32);
    int from = e.temporary(RegisterKind.INT);
    int keep = abs ? Integer.MAX_VALUE : -1;
    // One lane alone gives a canonical NaN too.
    e.emit(new IntOp(from, (w, d) -> IntLanes.map(d, w.i[bits], x -> canonical(x & keep))));
    e.emit(
        new ReduceOp(
            (x, y) ->
                canonical(
                    Float.floatToRawIntBits(
                        apply.apply(Float.intBitsToFloat(x), Float.intBitsToFloat(y)))),
            e.intDestination(f.operand(0), PtxType.B32),
            from,
            members));
    e.end();
  }

  private static int canonical(int bits) {
    return (bits & Integer.MAX_VALUE) > 0x7f80_0000 ? Integer.MAX_VALUE : bits;
  }

  void activemask(Form f) {
    f.done(1);
    int to = e.intDestination(f.operand(0), PtxType.B32);
    e.emit(
        new ActionOp((w, m) -> {
          int[] d = w.i[to];
          for (int rest = m; rest != 0; rest &= rest - 1) {
            d[Integer.numberOfTrailingZeros(rest)] = m;
          }
        }));
    e.end();
  }

  void elect(Form f) {
    sync(f);
    f.done(2);
    if (!(f.operand(0) instanceof Operand.Pair pair)) {
      throw f.error("needs a destination d|p");
    }
    int members = e.ints(f.operand(1), PtxType.B32);
    int leader = e.predicate(pair.second());
    e.emit(new ElectOp(e.intDestination(pair.first(), PtxType.B32), leader, members));
    e.end();
  }

  /** {@code bar} and {@code barrier}. */
  void barrier(Form f) {
    if (f.take("warp")) {
      sync(f);
      f.done(1);
      e.emit(new WarpBarrierOp(e.ints(f.operand(0), PtxType.B32)));
      return;
    }
    f.ignore("cta", "aligned");
    switch (f.require("sync", "arrive", "red")) {
      case "sync" -> {
        f.done(1, 2);
        int id = e.ints(f.operand(0), PtxType.U32);
        int threads = f.operands() == 2 ? e.ints(f.operand(1), PtxType.U32) : -1;
        e.emit(new BarrierOp(BarrierOp.Form.SYNC, id, threads, -1, false, -1));
      }
      case "arrive" -> {
        f.done(2);
        int id = e.ints(f.operand(0), PtxType.U32);
        int threads = e.ints(f.operand(1), PtxType.U32);
        e.emit(new BarrierOp(BarrierOp.Form.ARRIVE, id, threads, -1, false, -1));
      }
      default -> reduction(f);
    }
  }

  private void reduction(Form f) {
    String op = f.require("popc", "and", "or");
    f.done(3, 4);
    int id = e.ints(f.operand(1), PtxType.U32);
    int threads = f.operands() == 4 ? e.ints(f.operand(2), PtxType.U32) : -1;
    Operand source = f.operand(f.operands() - 1);
    boolean negated = source instanceof Operand.Negated;
    int p = e.predicate(source instanceof Operand.Negated n ? n.name() : source);
    boolean count = op.equals("popc");
    // Written when the barrier opens, after the instruction itself is over: the register must be an
    // int array.
    int to = count ? e.registers.indexOf(intRegister(f)) : e.predicate(f.operand(0));
    e.emit(
        new BarrierOp(
            BarrierOp.Form.valueOf(op.toUpperCase(Locale.ROOT)), id, threads, p, negated, to));
  }

  private VirtualRegister intRegister(Form f) {
    VirtualRegister r = e.register(f.operand(0));
    if (r == null || r.kind != RegisterKind.INT) {
      throw f.error("needs an integer register of 32 bits");
    }
    return r;
  }
}
