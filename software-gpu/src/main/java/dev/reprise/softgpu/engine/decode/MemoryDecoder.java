package dev.reprise.softgpu.engine.decode;

import dev.reprise.softgpu.engine.exec.ActionOp;
import dev.reprise.softgpu.engine.exec.Element;
import dev.reprise.softgpu.engine.exec.FenceOp;
import dev.reprise.softgpu.engine.exec.LoadOp;
import dev.reprise.softgpu.engine.exec.MemoryAddress;
import dev.reprise.softgpu.engine.exec.Order;
import dev.reprise.softgpu.engine.exec.RegisterKind;
import dev.reprise.softgpu.engine.exec.StoreOp;
import dev.reprise.softgpu.ptx.Operand;
import dev.reprise.softgpu.ptx.PtxType;
import dev.reprise.softgpu.ptx.Space;
import java.util.List;

/** Loads, stores, fences and hints (PTX ISA, "Data Movement and Conversion Instructions"). */
final class MemoryDecoder {
  private final Emitter e;

  MemoryDecoder(Emitter e) {
    this.e = e;
  }

  /** The state space that an instruction names; {@code GENERIC} for none. */
  static Space space(Form f) {
    String s =
        f.takeAny(
            "global",
            "const",
            "shared",
            "shared::cta",
            "shared::cluster",
            "local",
            "param",
            "param::entry",
            "param::func");
    if (s == null) {
      return Space.GENERIC;
    }
    return switch (s) {
      case "global" -> Space.GLOBAL;
      case "const" -> Space.CONST;
      case "shared", "shared::cta" -> Space.SHARED;
      case "shared::cluster" -> Space.SHARED_CLUSTER;
      case "local" -> Space.LOCAL;
      default -> Space.PARAM;
    };
  }

  /** The address operand for an access of {@code bytes} bytes. */
  MemoryAddress address(Operand o, Space space, int bytes) {
    if (!(o instanceof Operand.Address a) || !a.more().isEmpty()) {
      throw e.error("expected an address such as [%rd1+4] but found " + o);
    }
    Operand.Name base = a.base();
    if (base == null) {
      return new MemoryAddress(space, true, e.registers.constant(a.offset()), 0, bytes);
    }
    if (e.symbol(base) instanceof Place p) {
      long at = p.address + a.offset();
      Space of = p.space;
      if (space == Space.GENERIC) {
        // The name stands for an address in the variable's own space, so the access is one to that
        // space.
        of = p.space;
      } else if (space != of
          && !(space == Space.PARAM && of == Space.LOCAL)
          && !(space == Space.SHARED_CLUSTER && of == Space.SHARED)) {
        throw e.error(base.text() + " is a variable of ." + of + ", not of ." + space);
      }
      return p.relative
          ? new MemoryAddress(of, true, e.framePointer(), at, bytes)
          : new MemoryAddress(of, true, e.registers.constant(at), 0, bytes);
    }
    VirtualRegister r = e.register(base);
    if (r == null) {
      throw e.error("operand " + base.text() + " is no address");
    }
    Space of = space == Space.PARAM && e.scope().inFunction ? Space.LOCAL : space;
    return switch (r.kind) {
      case LONG -> new MemoryAddress(of, true, e.registers.indexOf(r), a.offset(), bytes);
      case INT -> new MemoryAddress(of, false, e.registers.indexOf(r), a.offset(), bytes);
      case FLOAT -> new MemoryAddress(of, false, e.ints(base, PtxType.B32), a.offset(), bytes);
      default -> throw e.error("register " + base.text() + " cannot hold an address");
    };
  }

  private static int vector(Form f) {
    String v = f.takeAny("v2", "v4", "v8");
    return v == null ? 1 : v.charAt(1) - '0';
  }

  static List<Operand> elements(Form f, Operand o, int n) {
    List<Operand> all = o instanceof Operand.Vector v ? v.elements() : List.of(o);
    if (all.size() != n) {
      throw f.error("moves " + n + " elements but names " + all.size());
    }
    return all;
  }

  /** Operands of an access that has {@code n} without a cache policy. */
  static int[] hints(Form f, int n) {
    f.ignore("nc", "ca", "cg", "cs", "lu", "cv", "wb", "wt", "weak");
    boolean policy = f.take("L2::cache_hint");
    f.ignorePrefix("L1::", "L2::");
    return new int[] {policy ? n + 1 : n};
  }

  private static Order order(Form f) {
    boolean scoped = f.takeAny("cta", "cluster", "gpu", "sys") != null;
    boolean device = f.take("mmio");
    String o = f.takeAny("relaxed", "acquire", "release", "volatile");
    if (o == null) {
      if (scoped || device) {
        throw f.error("has a scope but no order");
      }
      return Order.WEAK;
    }
    return switch (o) {
      case "acquire" -> Order.ACQUIRE;
      case "release" -> Order.RELEASE;
      default -> Order.STRONG;
    };
  }

  void load(Form f) {
    Space space = space(f);
    Order order = order(f);
    int[] operands = hints(f, 2);
    int n = vector(f);
    PtxType t = f.type();
    f.done(operands);
    check(f, t);
    List<Operand> to = elements(f, f.operand(0), n);
    MemoryAddress address = address(f.operand(1), space, t.bytes() * n);
    if (t == PtxType.B128) {
      VirtualRegister r = e.wide(f.operand(0));
      e.emit(new LoadOp(address, order, half(r, false), half(r, true)));
      return;
    }
    Element[] elements = new Element[n];
    for (int k = 0; k < n; k++) {
      elements[k] = destination(to.get(k), t);
    }
    e.emit(new LoadOp(address, order, elements));
    e.end();
  }

  private static void check(Form f, PtxType t) {
    if (t == PtxType.PRED) {
      throw f.unsupported();
    }
  }

  private Element half(VirtualRegister r, boolean high) {
    return new Element(RegisterKind.LONG, 8, e.half(r, high), 0);
  }

  private Element destination(Operand o, PtxType t) {
    if (o instanceof Operand.Name name && name.sink()) {
      return new Element(RegisterKind.INT, t.bytes(), -1, 0);
    }
    VirtualRegister r = e.register(o);
    if (r == null) {
      throw e.error("expected a register as destination but found " + o);
    }
    if (t.bytes() == 8) {
      return r.kind == RegisterKind.DOUBLE
          ? new Element(RegisterKind.DOUBLE, 8, e.doubleDestination(o), 0)
          : new Element(RegisterKind.LONG, 8, e.longDestination(o), 0);
    }
    if (t.bytes() == 4 && r.kind == RegisterKind.FLOAT) {
      return new Element(RegisterKind.FLOAT, 4, e.floatDestination(o, false), 0);
    }
    int keep = t.signed() ? -1 : t.bytes() == 1 ? 0xff : 0xffff;
    return new Element(RegisterKind.INT, t.bytes(), e.intDestination(o, t, !t.signed()), keep);
  }

  void store(Form f) {
    Space space = space(f);
    Order order = order(f);
    int[] operands = hints(f, 2);
    int n = vector(f);
    PtxType t = f.type();
    f.done(operands);
    check(f, t);
    if (space == Space.CONST) {
      throw f.unsupported();
    }
    MemoryAddress address = address(f.operand(0), space, t.bytes() * n);
    List<Operand> from = elements(f, f.operand(1), n);
    if (t == PtxType.B128) {
      VirtualRegister r = e.wide(f.operand(1));
      e.emit(new StoreOp(address, order, half(r, false), half(r, true)));
      return;
    }
    Element[] elements = new Element[n];
    for (int k = 0; k < n; k++) {
      elements[k] = source(from.get(k), t);
    }
    e.emit(new StoreOp(address, order, elements));
    e.end();
  }

  private Element source(Operand o, PtxType t) {
    VirtualRegister r = e.register(o);
    if (t.bytes() == 8) {
      boolean real = r == null ? t == PtxType.F64 : r.kind == RegisterKind.DOUBLE;
      return real
          ? new Element(RegisterKind.DOUBLE, 8, e.doubles(o), 0)
          : new Element(RegisterKind.LONG, 8, e.longs(o, t), 0);
    }
    if (t.bytes() == 4 && r != null && r.kind == RegisterKind.FLOAT) {
      return new Element(RegisterKind.FLOAT, 4, e.floats(o), r.raw ? 0 : Element.CANONICAL);
    }
    // Small values are cut by the store itself.
    return new Element(RegisterKind.INT, t.bytes(), e.ints(o, t.bytes() < 4 ? PtxType.B32 : t), 0);
  }

  /** {@code prefetch} and its like change nothing that a program can see. */
  void hint(Form f) {
    f.ignore("global", "local", "const", "param", "L1", "L2", "tensormap");
    f.ignorePrefix("L2::", "L1::");
    boolean sized = f.opcode().equals("applypriority") || f.opcode().equals("discard");
    f.done(sized ? 2 : 1);
  }

  /** A cache policy is a number that only hints read. */
  void createPolicy(Form f) {
    f.ignore("fractional", "range", "cvt", "global");
    f.ignorePrefix("L2::", "L2");
    f.done(1, 2, 3, 4);
    int zero = e.registers.constant(0L);
    e.toLong(f.operand(0), (w, d) -> System.arraycopy(w.l[zero], 0, d, 0, d.length));
  }

  void fence(Form f) {
    if (f.take("tensormap::generic")) {
      mapFence(f);
      return;
    }
    f.ignore("cta", "gl", "sys", "gpu", "cluster", "sc", "acq_rel", "acquire", "release");
    // All accesses go to one memory in the order of the program, so proxies need no fence.
    f.ignore("proxy", "alias", "async", "async::generic", "global", "mbarrier_init");
    f.ignore("shared::cta", "shared::cluster");
    f.ignore("sync_restrict::shared::cta", "sync_restrict::shared::cluster");
    f.done(0);
    e.emit(new FenceOp());
  }

  /** A tensor map is read anew by each copy, so that its proxy needs no more than other memory. */
  private void mapFence(Form f) {
    f.require("proxy");
    boolean acquires = f.require("acquire", "release").equals("acquire");
    f.require("cta", "cluster", "gpu", "sys");
    f.done(acquires ? 2 : 0);
    if (acquires) {
      TensorMapDecoder.wholeMap(f, f.operand(1));
    }
    e.emit(new FenceOp());
  }

  void nanosleep(Form f) {
    f.done(1);
    e.emit(
        new ActionOp((w, m) -> {
          w.poll();
          Thread.onSpinWait();
        }));
  }
}
