package dev.reprise.softgpu.engine.exec;

import dev.reprise.softgpu.engine.math.FloatLanes;
import dev.reprise.softgpu.engine.math.LaneWords;

/** {@code st} of one to eight elements. */
public final class StoreOp extends MemoryOp {
  private final Element[] elements;
  private final Order order;

  /** Whether all elements are 4 bytes of that class, so that they can be joined for a bulk copy. */
  private final boolean floats;

  private final boolean ints;

  public StoreOp(MemoryAddress address, Order order, Element... elements) {
    super(address, "write");
    this.order = order;
    this.elements = elements;
    floats = LoadOp.all(elements, RegisterKind.FLOAT);
    ints = LoadOp.all(elements, RegisterKind.INT);
  }

  @Override
  boolean movesWords() {
    return (floats || ints) && elements.length == 1 && order == Order.WEAK && findable();
  }

  @Override
  void beside(Warp w, long[] a, long at) {
    Element e = elements[0];
    if (ints) {
      LaneWords.store(w.i[e.register()], a, at);
    } else if (e.keep() == Element.CANONICAL) {
      LaneWords.storeCanonical(w.f[e.register()], a, at);
    } else {
      LaneWords.store(w.f[e.register()], a, at);
    }
  }

  @Override
  boolean strong() {
    return order != Order.WEAK;
  }

  @Override
  public void run(Warp w, int m) {
    boolean contiguous = false;
    if (floats || ints) {
      int shape = resolve(w, m);
      contiguous = shape == CONTIGUOUS;
      if (shape == UNIFORM) {
        resolveLanes(w, m);
      }
    } else {
      resolveLanes(w, m);
    }
    order.before();
    if (contiguous) {
      contiguous(w);
      return;
    }
    int at = 0;
    for (Element e : elements) {
      scattered(w, e, at, m);
      at += e.bytes();
    }
  }

  private void contiguous(Warp w) {
    int n = elements.length;
    if (floats) {
      if (n == 1) {
        Lanes.storeFloatsRun(w.start, values(w, elements[0]), Warp.LANES);
        return;
      }
      for (int k = 0; k < n; k++) {
        Lanes.join(w.floatRun, n, k, values(w, elements[k]));
      }
      Lanes.storeFloatsRun(w.start, w.floatRun, n * Warp.LANES);
      return;
    }
    if (n == 1) {
      Lanes.storeIntsRun(w.start, w.i[elements[0].register()], Warp.LANES);
      return;
    }
    for (int k = 0; k < n; k++) {
      Lanes.join(w.intRun, n, k, w.i[elements[k].register()]);
    }
    Lanes.storeIntsRun(w.start, w.intRun, n * Warp.LANES);
  }

  private static float[] values(Warp w, Element e) {
    if (e.keep() != Element.CANONICAL) {
      return w.f[e.register()];
    }
    FloatLanes.canonical(w.floatScratch, w.f[e.register()]);
    return w.floatScratch;
  }

  private static void scattered(Warp w, Element e, int at, int m) {
    switch (e.kind()) {
      case INT -> {
        if (e.bytes() == 4) {
          Lanes.storeInts(w.address, at, w.i[e.register()], m);
        } else {
          Lanes.storeSmall(w.address, at, e.bytes(), w.i[e.register()], m);
        }
      }
      case FLOAT -> Lanes.storeFloats(w.address, at, values(w, e), m);
      case LONG -> Lanes.storeLongs(w.address, at, w.l[e.register()], m);
      case DOUBLE -> Lanes.storeDoubles(w.address, at, w.d[e.register()], m);
      case PREDICATE -> throw new AssertionError(e);
    }
  }
}
