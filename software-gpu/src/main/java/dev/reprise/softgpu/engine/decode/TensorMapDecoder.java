package dev.reprise.softgpu.engine.decode;

import dev.reprise.softgpu.engine.exec.FenceOp;
import dev.reprise.softgpu.engine.exec.MemoryAddress;
import dev.reprise.softgpu.engine.exec.TensorMap;
import dev.reprise.softgpu.engine.exec.TensorMapCopyOp;
import dev.reprise.softgpu.engine.exec.TensorMapField;
import dev.reprise.softgpu.engine.exec.TensorMapReplaceOp;
import dev.reprise.softgpu.ptx.Operand;
import dev.reprise.softgpu.ptx.PtxType;
import dev.reprise.softgpu.ptx.Space;

/** {@code tensormap.replace} and {@code tensormap.cp_fenceproxy} (PTX ISA, under these names). */
final class TensorMapDecoder {
  private static final String BLOCK = "shared::cta";

  /** Half a tensor map, which is as far as an address is checked at once. */
  private static final int MAP_BYTES = TensorMap.BYTES / 2;

  private final Emitter e;
  private final MemoryDecoder memory;

  TensorMapDecoder(Emitter e, MemoryDecoder memory) {
    this.e = e;
    this.memory = memory;
  }

  void change(Form f) {
    if (f.require("replace", "cp_fenceproxy").equals("replace")) {
      replace(f);
    } else {
      copy(f);
    }
  }

  private void replace(Form f) {
    f.require("tile");
    if (f.take("interleave_layout")) {
      throw f.unsupported("the software GPU has no tensors that are interleaved");
    }
    TensorMapField field = field(f);
    String space = f.takeAny("global", BLOCK);
    f.require("b1024");
    PtxType t = field.wide() ? PtxType.B64 : PtxType.B32;
    if (f.typeCount() != 1 || f.type() != t) {
      throw f.error("needs ." + t.text());
    }
    f.done(field.each() ? 3 : 2);
    int ordinal = field.each() ? constant(f, f.operand(1), TensorMap.RANKS - 1) : 0;
    Operand value = f.operand(field.each() ? 2 : 1);
    if (field.constant() && !(value instanceof Operand.IntImmediate n && field.allows(n.value()))) {
      throw f.error("needs a constant, " + field.range());
    }
    MemoryAddress map =
        memory.address(
            f.operand(0),
            space == null ? Space.GENERIC : space.equals(BLOCK) ? Space.SHARED : Space.GLOBAL,
            MAP_BYTES);
    int register = field.wide() ? e.longs(value, t) : e.ints(value, t);
    e.emit(new TensorMapReplaceOp(map, field, ordinal, register));
  }

  private static TensorMapField field(Form f) {
    TensorMapField[] fields = TensorMapField.values();
    String[] names = new String[fields.length];
    for (int k = 0; k < names.length; k++) {
      names[k] = fields[k].text();
      if (f.take(names[k])) {
        return fields[k];
      }
    }
    throw f.error("needs one of ." + String.join(", .", names));
  }

  private static int constant(Form f, Operand o, int most) {
    if (o instanceof Operand.IntImmediate n && n.value() >= 0 && n.value() <= most) {
      return (int) n.value();
    }
    throw f.error("needs a constant, 0 to " + most);
  }

  private void copy(Form f) {
    f.require("global");
    f.require(BLOCK);
    BulkDecoder.order(f, "global", BLOCK);
    f.require("tensormap::generic");
    f.require("release");
    f.require("cta", "cluster", "gpu", "sys");
    f.require("sync");
    f.require("aligned");
    f.done(3);
    wholeMap(f, f.operand(2));
    e.emit(
        new TensorMapCopyOp(
            memory.address(f.operand(0), Space.GLOBAL, MAP_BYTES),
            memory.address(f.operand(1), Space.SHARED, MAP_BYTES)));
    e.emit(new FenceOp());
  }

  /** Makes sure that a size is that of a tensor map. */
  static void wholeMap(Form f, Operand size) {
    if (!(size instanceof Operand.IntImmediate n && n.value() == TensorMap.BYTES)) {
      throw f.error("needs the size " + TensorMap.BYTES);
    }
  }
}
