package dev.reprise.softgpu.engine.decode;

import static dev.reprise.softgpu.engine.exec.LaneFunction.f;
import static dev.reprise.softgpu.engine.exec.LaneFunction.i;
import static dev.reprise.softgpu.engine.exec.LaneFunction.l;
import static dev.reprise.softgpu.engine.exec.LaneFunction.n;

import dev.reprise.softgpu.engine.exec.Cluster;
import dev.reprise.softgpu.engine.exec.FloatOp;
import dev.reprise.softgpu.engine.exec.IntOp;
import dev.reprise.softgpu.engine.exec.LongOp;
import dev.reprise.softgpu.engine.exec.PredicateOp;
import dev.reprise.softgpu.engine.exec.Program.Special;
import dev.reprise.softgpu.engine.exec.RegisterKind;
import dev.reprise.softgpu.engine.exec.Windows;
import dev.reprise.softgpu.engine.math.FloatLanes;
import dev.reprise.softgpu.engine.math.IntLanes;
import dev.reprise.softgpu.engine.math.LongLanes;
import dev.reprise.softgpu.ptx.Operand;
import dev.reprise.softgpu.ptx.PtxType;
import java.util.List;

/** {@code mov} with packing and unpacking, {@code cvta} and {@code isspacep}. */
final class MoveDecoder {
  private final Emitter e;

  MoveDecoder(Emitter e) {
    this.e = e;
  }

  /** Whether a {@code mov} has a vector operand or moves bits between classes of registers. */
  boolean handles(Form f) {
    if (f.type() == PtxType.B128
        || f.operand(0) instanceof Operand.Vector
        || f.operand(1) instanceof Operand.Vector) {
      return true;
    }
    VirtualRegister to = e.register(f.operand(0));
    VirtualRegister from = e.register(f.operand(1));
    return to != null
        && from != null
        && f.type().bytes() == 4
        && (to.kind == RegisterKind.FLOAT || from.kind == RegisterKind.FLOAT);
  }

  void move(Form f) {
    PtxType t = f.type();
    f.done(2);
    if (t == PtxType.B128) {
      wide(f);
    } else if (f.operand(1) instanceof Operand.Vector v) {
      pack(f, t, v.elements());
    } else if (f.operand(0) instanceof Operand.Vector v) {
      unpack(f, t, v.elements());
    } else {
      bits(f);
    }
  }

  /** {@code mov.b128}, whole or to and from two halves. */
  private void wide(Form f) {
    int[] from = new int[2];
    if (f.operand(1) instanceof Operand.Vector v && v.elements().size() == 2) {
      for (int k = 0; k < 2; k++) {
        from[k] = e.longs(v.elements().get(k), PtxType.B64);
      }
    } else {
      VirtualRegister r = e.wide(f.operand(1));
      from[0] = e.half(r, false);
      from[1] = e.half(r, true);
    }
    int low = e.temporary(RegisterKind.LONG);
    e.emit(new LongOp(low, (w, d) -> LongLanes.mov(d, w.l[from[0]])));
    if (f.operand(0) instanceof Operand.Vector v && v.elements().size() == 2) {
      e.toLong(v.elements().get(1), (w, d) -> LongLanes.mov(d, w.l[from[1]]));
      e.toLong(v.elements().get(0), (w, d) -> LongLanes.mov(d, w.l[low]));
    } else {
      VirtualRegister to = e.wide(f.operand(0));
      e.emit(new LongOp(e.half(to, true), (w, d) -> LongLanes.mov(d, w.l[from[1]])));
      e.emit(new LongOp(e.half(to, false), (w, d) -> LongLanes.mov(d, w.l[low])));
    }
  }

  private void bits(Form f) {
    VirtualRegister to = e.register(f.operand(0));
    VirtualRegister from = e.register(f.operand(1));
    if (to == null || from == null) {
      throw f.unsupported();
    }
    int a = e.registers.indexOf(from);
    if (to.kind == RegisterKind.FLOAT) {
      e.moveToFloat(
          f.operand(0),
          from.kind == RegisterKind.FLOAT
              ? FloatOp.describe((w, d) -> FloatLanes.mov(d, w.f[a]), "mov", f(a))
              : FloatOp.describe((w, d) -> FloatLanes.ofBits(d, w.i[a]), "ofBits", i(a)));
    } else {
      e.toInt(f.operand(0), f.type(), e.bitsOf(from));
    }
  }

  private static PtxType part(Form f, PtxType t, int count) {
    return switch (t.bytes() * 8 / count) {
      case 8 -> PtxType.B8;
      case 16 -> PtxType.B16;
      case 32 -> PtxType.B32;
      default -> throw f.unsupported();
    };
  }

  private void pack(Form f, PtxType t, List<Operand> elements) {
    int n = elements.size();
    PtxType part = part(f, t, n);
    int[] from = new int[n];
    for (int k = 0; k < n; k++) {
      from[k] = e.ints(elements.get(k), part);
    }
    if (t.bytes() == 8 && n == 2) {
      e.toLong(f.operand(0), (w, d) -> LongLanes.join(d, w.i[from[0]], w.i[from[1]]));
      return;
    }
    int bits = part.bits();
    long keep = (1L << bits) - 1;
    if (t.bytes() == 8) {
      e.toLong(
          f.operand(0),
          (w, d) -> {
            for (int lane = 0; lane < d.length; lane++) {
              long v = 0;
              for (int k = 0; k < n; k++) {
                v |= (w.i[from[k]][lane] & keep) << k * bits;
              }
              d[lane] = v;
            }
          });
      return;
    }
    e.toInt(
        f.operand(0),
        t,
        (w, d) -> {
          for (int lane = 0; lane < d.length; lane++) {
            int v = 0;
            for (int k = 0; k < n; k++) {
              v |= (int) (w.i[from[k]][lane] & keep) << k * bits;
            }
            d[lane] = v;
          }
        });
  }

  private void unpack(Form f, PtxType t, List<Operand> elements) {
    int count = elements.size();
    PtxType part = part(f, t, count);
    int bits = part.bits();
    // The source may be one of the destinations.
    int source;
    VirtualRegister from = e.register(f.operand(1));
    boolean apart = elements.stream().noneMatch(o -> e.register(o) == from);
    if (apart) {
      source = t.bytes() == 8 ? e.longs(f.operand(1), t) : e.ints(f.operand(1), t);
    } else if (t.bytes() == 8) {
      int a = e.longs(f.operand(1), t);
      source = e.temporary(RegisterKind.LONG);
      e.emit(new LongOp(source, LongOp.describe((w, d) -> LongLanes.mov(d, w.l[a]), "mov", l(a))));
    } else {
      int a = e.ints(f.operand(1), t);
      source = e.temporary(RegisterKind.INT);
      e.emit(new IntOp(source, IntOp.describe((w, d) -> IntLanes.mov(d, w.i[a]), "mov", i(a))));
    }
    for (int k = 0; k < count; k++) {
      Operand to = elements.get(k);
      if (to instanceof Operand.Name name && name.sink()) {
        continue;
      }
      int shift = k * bits;
      int keep = bits == 32 ? -1 : (1 << bits) - 1;
      IntOp.Eval eval =
          t.bytes() == 8
              ? IntOp.describe(
                  (w, d) -> LongLanes.field(d, w.l[source], shift, keep),
                  "field",
                  l(source),
                  n(shift),
                  n(keep))
              : IntOp.describe(
                  (w, d) -> IntLanes.field(d, w.i[source], shift, keep),
                  "field",
                  i(source),
                  n(shift),
                  n(keep));
      e.toFittingInt(to, part, eval);
    }
  }

  private long window(Form f) {
    String space =
        f.require(
            "global",
            "shared",
            "shared::cta",
            "shared::cluster",
            "local",
            "const",
            "param",
            "param::entry");
    return switch (space) {
      case "shared", "shared::cta", "shared::cluster" -> Windows.SHARED;
      case "local" -> Windows.LOCAL;
      // Parameters of functions are local memory here.
      case "param", "param::entry" -> e.scope().inFunction ? Windows.LOCAL : Windows.PARAM;
      default -> 0;
    };
  }

  /**
   * {@code cvta}: generic addresses are those of the space moved into its window; global and
   * constant memory need no move.
   */
  void cvta(Form f) {
    boolean to = f.take("to");
    long window = window(f);
    PtxType t = f.type();
    f.done(2);
    if (t.bytes() != 8) {
      throw f.unsupported();
    }
    int a = e.longs(f.operand(1), t);
    if (window == 0) {
      e.toLong(f.operand(0), LongOp.describe((w, d) -> LongLanes.mov(d, w.l[a]), "mov", l(a)));
    } else {
      long offset = to ? -window : window;
      int b = e.registers.constant(offset);
      e.toLong(
          f.operand(0),
          LongOp.describe((w, d) -> LongLanes.add(d, w.l[a], w.l[b]), "add", l(a), l(b)));
    }
  }

  void isspacep(Form f) {
    String space =
        f.require(
            "global",
            "shared",
            "shared::cta",
            "shared::cluster",
            "local",
            "const",
            "param",
            "param::entry");
    f.done(2);
    int a = e.longs(f.operand(1), PtxType.U64);
    PredicateOp.Eval eval =
        switch (space) {
          // Constants lie in global memory and are not told apart.
          case "const" -> w -> 0;
          case "shared", "shared::cta" -> {
            int own = e.registers.special(Special.CLUSTER_CTARANK);
            yield w -> inBlock(w.l[a], w.i[own][0]);
          }
          case "shared::cluster" -> w -> in(w.l[a], Windows.SHARED);
          case "local" -> w -> in(w.l[a], Windows.LOCAL);
          case "param", "param::entry" -> w -> in(w.l[a], Windows.PARAM);
          default ->
              w ->
                  ~(in(w.l[a], Windows.SHARED)
                      | in(w.l[a], Windows.LOCAL)
                      | in(w.l[a], Windows.PARAM));
        };
    e.toPredicate(f.operand(0), eval);
  }

  /** Addresses in shared memory of the block of that rank, which is the own one. */
  private static int inBlock(long[] addresses, int rank) {
    int r = in(addresses, Windows.SHARED);
    for (int k = 0; k < addresses.length; k++) {
      r &= Cluster.rank(addresses[k] - Windows.SHARED, rank) == rank ? -1 : ~(1 << k);
    }
    return r;
  }

  private static int in(long[] addresses, long window) {
    int r = 0;
    for (int k = 0; k < addresses.length; k++) {
      r |= Windows.in(addresses[k], window) ? 1 << k : 0;
    }
    return r;
  }
}
