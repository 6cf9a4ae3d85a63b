package dev.reprise.softgpu.engine.exec;

import dev.reprise.softgpu.engine.math.LaneWords;
import dev.reprise.softgpu.ptx.Space;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/** {@code ld} and {@code ldu} of one to eight elements. */
public final class LoadOp extends MemoryOp {
  private final Element[] elements;
  private final Order order;

  /** Whether all elements are 4 bytes of that class, so that a bulk copy can be split. */
  private final boolean floats;

  private final boolean ints;

  /** Registers of the elements. */
  private final int[] words;

  /** Whether {@link #apart(Warp, int)} can load it. */
  private final boolean apart;

  public LoadOp(MemoryAddress address, Order order, Element... elements) {
    super(address, "read");
    this.order = order;
    this.elements = elements;
    floats = all(elements, RegisterKind.FLOAT);
    ints = all(elements, RegisterKind.INT);
    words = Arrays.stream(elements).mapToInt(Element::register).toArray();
    apart = (floats || ints) && address.wide() && loadsVectors();
  }

  static boolean all(Element[] elements, RegisterKind kind) {
    boolean all = elements.length <= 4 && elements.length != 3;
    for (Element e : elements) {
      all &= e.kind() == kind && e.bytes() == 4 && e.register() >= 0;
    }
    return all;
  }

  Element[] elements() {
    return elements;
  }

  /**
   * Whether it loads vectors of whole words with no order to keep: each lane's is apart from the
   * next lane's, so that loading it where it is used is cheaper than sorting it into arrays first.
   */
  boolean loadsVectors() {
    boolean words = elements.length > 1 && order == Order.WEAK && offset() % bytes == 0;
    for (Element e : elements) {
      words &= e.bytes() >= 4;
    }
    return words
        && switch (space()) {
          case GLOBAL, CONST, GENERIC, SHARED -> true;
          case LOCAL, PARAM, SHARED_CLUSTER -> false;
        };
  }

  @Override
  boolean movesWords() {
    return (floats || ints) && order == Order.WEAK && findable();
  }

  /** Whether it loads parameters of the kernel. */
  boolean loadsParameter() {
    return space() == Space.PARAM && order == Order.WEAK;
  }

  @Override
  Set<Register> destinations() {
    Set<Register> all = new HashSet<>();
    for (Element e : elements) {
      if (e.register() >= 0) {
        all.add(new Register(e.kind(), e.register()));
      }
    }
    return all;
  }

  @Override
  Set<Register> sources() {
    return Set.of(base());
  }

  @Override
  boolean strong() {
    return order != Order.WEAK;
  }

  @Override
  public void run(Warp w, int m) {
    int shape = resolveWhole(w, m);
    if (order != Order.WEAK) {
      w.polled = true;
    }
    switch (shape) {
      case CONTIGUOUS -> contiguous(w);
      case UNIFORM -> uniform(w);
      default -> {
        if (!apart || !apart(w, m)) {
          resolveLanes(w, m);
          int at = 0;
          for (Element e : elements) {
            if (e.register() >= 0) {
              scattered(w, e, at, m);
            }
            at += e.bytes();
          }
        }
      }
    }
    order.after();
  }

  @Override
  void beside(Warp w, long[] a, long at) {
    int[] to = words;
    if (floats) {
      float[][] f = w.f;
      switch (to.length) {
        case 1 -> LaneWords.load(a, at, f[to[0]]);
        case 2 -> LaneWords.load(a, at, f[to[0]], f[to[1]]);
        default -> LaneWords.load(a, at, f[to[0]], f[to[1]], f[to[2]], f[to[3]]);
      }
    } else {
      int[][] i = w.i;
      switch (to.length) {
        case 1 -> LaneWords.load(a, at, i[to[0]]);
        case 2 -> LaneWords.load(a, at, i[to[0]], i[to[1]]);
        default -> LaneWords.load(a, at, i[to[0]], i[to[1]], i[to[2]], i[to[3]]);
      }
    }
  }

  /** Loads vectors of all lanes from one piece of memory, if that is where they are. */
  private boolean apart(Warp w, int m) {
    if (w.block.watch != null) {
      return false;
    }
    long window = window(w, m, offset(), offset() + bytes, bytes - 1);
    if (window == NOWHERE) {
      return false;
    }
    long[] a = w.l[base().index()];
    if (floats) {
      Lanes.loadFloats(a, offset() + window, elements, w.f);
    } else {
      Lanes.loadInts(a, offset() + window, elements, w.i);
    }
    return true;
  }

  /** All lanes, at {@code start + k * bytes}. */
  private void contiguous(Warp w) {
    int n = elements.length;
    if (floats) {
      if (n == 1) {
        Lanes.loadFloatsRun(w.start, w.f[elements[0].register()], Warp.LANES);
        return;
      }
      Lanes.loadFloatsRun(w.start, w.floatRun, n * Warp.LANES);
      if (n == 2) {
        Lanes.split(w.floatRun, w.f[elements[0].register()], w.f[elements[1].register()]);
      } else {
        Lanes.split(
            w.floatRun,
            w.f[elements[0].register()],
            w.f[elements[1].register()],
            w.f[elements[2].register()],
            w.f[elements[3].register()]);
      }
    } else if (ints) {
      if (n == 1) {
        Lanes.loadIntsRun(w.start, w.i[elements[0].register()], Warp.LANES);
        return;
      }
      Lanes.loadIntsRun(w.start, w.intRun, n * Warp.LANES);
      if (n == 2) {
        Lanes.split(w.intRun, w.i[elements[0].register()], w.i[elements[1].register()]);
      } else {
        Lanes.split(
            w.intRun,
            w.i[elements[0].register()],
            w.i[elements[1].register()],
            w.i[elements[2].register()],
            w.i[elements[3].register()]);
      }
    } else if (n == 1 && elements[0].register() >= 0) {
      Element e = elements[0];
      switch (e.kind()) {
        case LONG -> Lanes.loadLongsRun(w.start, w.l[e.register()], Warp.LANES);
        case DOUBLE -> Lanes.loadDoublesRun(w.start, w.d[e.register()], Warp.LANES);
        default -> Lanes.loadSmallRun(w.start, bytes, e.bytes(), e.keep(), w.i[e.register()]);
      }
    } else {
      for (int k = 0; k < Warp.LANES; k++) {
        w.address[k] = w.start + (long) k * bytes;
      }
      int at = 0;
      for (Element e : elements) {
        if (e.register() >= 0) {
          scattered(w, e, at, -1);
        }
        at += e.bytes();
      }
    }
  }

  /** All lanes, at {@code start}. */
  private void uniform(Warp w) {
    long at = w.start;
    for (Element e : elements) {
      if (e.register() >= 0) {
        switch (e.kind()) {
          case INT -> {
            if (e.bytes() == 4) {
              Lanes.loadIntsUniform(at, w.i[e.register()]);
            } else {
              Lanes.loadSmallUniform(at, e.bytes(), e.keep(), w.i[e.register()]);
            }
          }
          case FLOAT -> Lanes.loadFloatsUniform(at, w.f[e.register()]);
          case LONG -> Lanes.loadLongsUniform(at, w.l[e.register()]);
          case DOUBLE -> Lanes.loadDoublesUniform(at, w.d[e.register()]);
          case PREDICATE -> throw new AssertionError(e);
        }
      }
      at += e.bytes();
    }
  }

  private static void scattered(Warp w, Element e, int at, int m) {
    switch (e.kind()) {
      case INT -> {
        if (e.bytes() == 4) {
          Lanes.loadInts(w.address, at, w.i[e.register()], m);
        } else {
          Lanes.loadSmall(w.address, at, e.bytes(), e.keep(), w.i[e.register()], m);
        }
      }
      case FLOAT -> Lanes.loadFloats(w.address, at, w.f[e.register()], m);
      case LONG -> Lanes.loadLongs(w.address, at, w.l[e.register()], m);
      case DOUBLE -> Lanes.loadDoubles(w.address, at, w.d[e.register()], m);
      case PREDICATE -> throw new AssertionError(e);
    }
  }
}
