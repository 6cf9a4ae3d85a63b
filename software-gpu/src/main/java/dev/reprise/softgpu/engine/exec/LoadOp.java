package dev.reprise.softgpu.engine.exec;

/** {@code ld} and {@code ldu} of one to eight elements. */
public final class LoadOp extends MemoryOp {
  private final Element[] elements;
  private final Order order;

  public LoadOp(MemoryAddress address, Order order, Element... elements) {
    super(address, "read");
    this.order = order;
    this.elements = elements;
  }

  @Override
  public void run(Warp w, int m) {
    int shape = resolve(w, m);
    if (order != Order.WEAK) {
      w.polled = true;
    }
    int at = 0;
    for (Element e : elements) {
      if (e.register() >= 0) {
        load(w, e, at, m, shape);
      }
      at += e.bytes();
    }
    order.after();
  }

  private static void load(Warp w, Element e, int at, int m, int shape) {
    switch (e.kind()) {
      case INT -> {
        if (e.bytes() == 4) {
          Lanes.loadInts(w.address, at, w.i[e.register()], m, shape);
        } else {
          Lanes.loadSmall(w.address, at, e.bytes(), e.keep(), w.i[e.register()], m);
        }
      }
      case FLOAT -> Lanes.loadFloats(w.address, at, w.f[e.register()], m, shape);
      case LONG -> Lanes.loadLongs(w.address, at, w.l[e.register()], m, shape);
      case DOUBLE -> Lanes.loadDoubles(w.address, at, w.d[e.register()], m);
      case PREDICATE -> throw new AssertionError(e);
    }
  }
}
