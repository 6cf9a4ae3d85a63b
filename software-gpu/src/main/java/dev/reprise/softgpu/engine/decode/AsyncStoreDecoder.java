package dev.reprise.softgpu.engine.decode;

import dev.reprise.softgpu.engine.exec.AsyncStoreOp;
import dev.reprise.softgpu.engine.exec.BulkFillOp;
import dev.reprise.softgpu.engine.exec.MemoryAddress;
import dev.reprise.softgpu.ptx.Operand;
import dev.reprise.softgpu.ptx.PtxType;
import dev.reprise.softgpu.ptx.Space;
import java.util.List;

/** {@code st.async}, {@code red.async} and {@code st.bulk} (PTX ISA, under these names). */
final class AsyncStoreDecoder {
  private static final String COMPLETION = "mbarrier::complete_tx::bytes";

  private final Emitter e;
  private final MemoryDecoder memory;
  private final AtomicDecoder atomics;

  AsyncStoreDecoder(Emitter e, MemoryDecoder memory, AtomicDecoder atomics) {
    this.e = e;
    this.memory = memory;
    this.atomics = atomics;
  }

  void store(Form f) {
    if (!f.take(COMPLETION)) {
      global(f);
      return;
    }
    f.take("weak");
    Space space = sharedSpace(f);
    String v = f.takeAny("v2", "v4");
    int n = v == null ? 1 : v.charAt(1) - '0';
    PtxType t = f.type();
    f.done(3);
    if (t.bytes() < 4 || t.bytes() * n > 16 || t == PtxType.B128) {
      throw f.error("stores elements of 4 or 8 bytes, 16 bytes at most");
    }
    List<Operand> from = MemoryDecoder.elements(f, f.operand(1), n);
    int[] values = new int[n];
    for (int k = 0; k < n; k++) {
      values[k] = value(from.get(k), t);
    }
    emit(f, space, AsyncStoreOp.store(t.bytes()), t, values);
  }

  private int value(Operand o, PtxType t) {
    return t.bytes() == 8 ? e.longs(o, t) : e.ints(o, PtxType.B32);
  }

  /** Where there is no barrier it is a plain one that others may see later, but need not. */
  private void global(Form f) {
    if (f.takeAny("shared::cluster", "shared::cta") != null) {
      throw f.error("needs ." + COMPLETION);
    }
    PtxType t = f.type();
    if (t.bytes() < 2 || f.startsWith("v")) {
      throw f.error("stores one element of 2, 4 or 8 bytes");
    }
    if (f.instruction().has("cta") || f.instruction().has("cluster")) {
      throw f.error("needs one of .gpu, .sys");
    }
    memory.store(f);
  }

  void reduce(Form f) {
    if (!f.take(COMPLETION)) {
      if (f.takeAny("shared::cluster", "shared::cta") != null) {
        throw f.error("needs ." + COMPLETION);
      }
      f.require("release");
      f.require("gpu", "sys");
      f.take("mmio");
      String op = f.requireLeft("inc", "dec", "min", "max", "add", "and", "or", "xor");
      checkType(f, op, f.type());
      atomics.atomic(f);
      return;
    }
    f.require("relaxed");
    f.require("cluster");
    Space space = sharedSpace(f);
    String op = f.require("inc", "dec", "min", "max", "add", "and", "or", "xor");
    PtxType t = f.type();
    f.done(3);
    checkType(f, op, t);
    int value = value(f.operand(1), t);
    AsyncStoreOp.Arrival arrival =
        t.bytes() == 8
            ? AsyncStoreOp.update(AtomicDecoder.longUpdate(f, op, t))
            : AsyncStoreOp.update(AtomicDecoder.intUpdate(f, op, t));
    emit(f, space, arrival, t, value);
  }

  private static void checkType(Form f, String op, PtxType t) {
    boolean fits =
        switch (op) {
          case "inc", "dec" -> t == PtxType.U32;
          case "min", "max" -> t == PtxType.U32 || t == PtxType.S32;
          case "add" ->
              t == PtxType.U32 || t == PtxType.S32 || t == PtxType.U64 || t == PtxType.S64;
          default -> t == PtxType.B32;
        };
    if (!fits) {
      throw f.error("has no ." + op + " on ." + t.text());
    }
  }

  private static Space sharedSpace(Form f) {
    Space space = MemoryDecoder.space(f);
    if (space != Space.SHARED_CLUSTER && space != Space.SHARED && space != Space.GENERIC) {
      throw f.error("writes to .shared::cluster");
    }
    return space;
  }

  private void emit(Form f, Space space, AsyncStoreOp.Arrival arrival, PtxType t, int... values) {
    MemoryAddress to = memory.address(f.operand(0), space, t.bytes() * values.length);
    MemoryAddress barrier = memory.address(f.operand(2), space, 8);
    e.emit(new AsyncStoreOp(to, barrier, arrival, t.bytes(), values));
  }

  /** {@code st.bulk}: zeros for a number of bytes. */
  void fill(Form f) {
    f.take("weak");
    Space space = MemoryDecoder.space(f);
    f.done(3);
    if (space != Space.SHARED && space != Space.GENERIC) {
      throw f.error("writes to .shared::cta");
    }
    if (!(f.operand(2) instanceof Operand.IntImmediate zero) || zero.value() != 0) {
      throw f.error("stores nothing but 0");
    }
    MemoryAddress to = memory.address(f.operand(0), space, 8);
    e.emit(new BulkFillOp(to, e.longs(f.operand(1), PtxType.U64)));
  }
}
