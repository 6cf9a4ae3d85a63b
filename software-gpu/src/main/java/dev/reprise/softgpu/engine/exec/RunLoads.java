package dev.reprise.softgpu.engine.exec;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Loads of a run that the Vector API does: those by one register are looked at together, before the
 * first of them.
 */
final class RunLoads {
  /**
   * Loads by one register, whose value is the same for all.
   *
   * @param slot where it is noted where they are
   * @param first the first of them
   * @param lo first byte beyond the address
   * @param hi end of the last one
   */
  record Part(int slot, LoadOp first, long lo, long hi) {}

  private final List<Part> parts = new ArrayList<>();
  private final Map<LoadOp, Integer> slots = new HashMap<>();

  RunLoads(Op[] ops, Program program) {
    Map<Register, Integer> open = new HashMap<>();
    for (Op op : ops) {
      if (op instanceof LoadOp load && load.loadsWords() && program.constant(load.base()) == null) {
        add(load, open);
      }
      Set<Register> written = op.function != null ? op.overwrites() : op.touches;
      if (!(op instanceof LoadOp)) {
        open.keySet().removeAll(written);
      } else {
        open.keySet().removeAll(op.destinations());
      }
    }
  }

  private void add(LoadOp load, Map<Register, Integer> open) {
    Integer slot = open.get(load.base());
    long end = load.offset() + load.bytes;
    if (slot != null) {
      Part p = parts.get(slot);
      if (p.first.space() == load.space() && p.first.bytes == load.bytes) {
        long lo = Math.min(p.lo, load.offset());
        parts.set(slot, new Part(slot, p.first, lo, Math.max(p.hi, end)));
        slots.put(load, slot);
      }
    } else if (parts.size() < Gathered.MOST_BASES) {
      open.put(load.base(), parts.size());
      slots.put(load, parts.size());
      parts.add(new Part(parts.size(), load, load.offset(), end));
    }
  }

  /** The loads that an operation is the first of, or null. */
  @Nullable Part first(Op op) {
    Integer slot = op instanceof LoadOp load ? slots.get(load) : null;
    return slot != null && parts.get(slot).first == op ? parts.get(slot) : null;
  }

  /** Where it is noted where an operation loads, or -1 if it is none of these loads. */
  int slot(Op op) {
    return op instanceof LoadOp load ? slots.getOrDefault(load, -1) : -1;
  }
}
