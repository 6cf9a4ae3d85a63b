package dev.reprise.softgpu.engine.exec;

/** {@code ld} and {@code ldu} of one to eight elements. */
public final class LoadOp extends MemoryOp {
  private final Element[] elements;
  private final Order order;

  /** Whether all elements are 4 bytes of that class, so that a bulk copy can be split. */
  private final boolean floats;

  private final boolean ints;

  public LoadOp(MemoryAddress address, Order order, Element... elements) {
    super(address, "read");
    this.order = order;
    this.elements = elements;
    floats = all(elements, RegisterKind.FLOAT);
    ints = all(elements, RegisterKind.INT);
  }

  static boolean all(Element[] elements, RegisterKind kind) {
    boolean all = elements.length <= 4 && elements.length != 3;
    for (Element e : elements) {
      all &= e.kind() == kind && e.bytes() == 4 && e.register() >= 0;
    }
    return all;
  }

  @Override
  boolean strong() {
    return order != Order.WEAK;
  }

  @Override
  public void run(Warp w, int m) {
    int shape = resolve(w, m);
    if (order != Order.WEAK) {
      w.polled = true;
    }
    switch (shape) {
      case CONTIGUOUS -> contiguous(w);
      case UNIFORM -> uniform(w);
      default -> {
        int at = 0;
        for (Element e : elements) {
          if (e.register() >= 0) {
            scattered(w, e, at, m);
          }
          at += e.bytes();
        }
      }
    }
    order.after();
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
