package dev.reprise.softgpu.engine.exec;

import dev.reprise.softgpu.engine.math.FloatLanes;

/** {@code st} of one to eight elements. */
public final class StoreOp extends MemoryOp {
  private final Element[] elements;
  private final Order order;

  public StoreOp(MemoryAddress address, Order order, Element... elements) {
    super(address, "write");
    this.order = order;
    this.elements = elements;
  }

  @Override
  public void run(Warp w, int m) {
    resolve(w, m);
    order.before();
    int at = 0;
    for (Element e : elements) {
      store(w, e, at, m);
      at += e.bytes();
    }
  }

  private static void store(Warp w, Element e, int at, int m) {
    switch (e.kind()) {
      case INT -> {
        if (e.bytes() == 4) {
          Lanes.storeInts(w.address, at, w.i[e.register()], m);
        } else {
          Lanes.storeSmall(w.address, at, e.bytes(), w.i[e.register()], m);
        }
      }
      case FLOAT -> {
        if (e.keep() == Element.CANONICAL) {
          FloatLanes.canonical(w.floatScratch, w.f[e.register()]);
          Lanes.storeFloats(w.address, at, w.floatScratch, m);
        } else {
          Lanes.storeFloats(w.address, at, w.f[e.register()], m);
        }
      }
      case LONG -> Lanes.storeLongs(w.address, at, w.l[e.register()], m);
      case DOUBLE -> Lanes.storeDoubles(w.address, at, w.d[e.register()], m);
      case PREDICATE -> throw new AssertionError(e);
    }
  }
}
