package dev.reprise.softgpu.engine.exec;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Loads and stores of a run that the Vector API does: those by one register are looked at together,
 * before the first of them.
 */
final class RunAccesses {
  /**
   * Accesses by one register, whose value is the same for all.
   *
   * @param slot where it is noted where they are
   * @param first the first of them
   * @param lo first byte beyond the address
   * @param hi end of the last one
   */
  record Part(int slot, MemoryOp first, long lo, long hi) {}

  private final List<Part> parts = new ArrayList<>();
  private final Map<Op, Integer> slots = new HashMap<>();

  RunAccesses(Op[] ops, Program program) {
    Map<Register, Integer> open = new HashMap<>();
    for (Op op : ops) {
      if (op instanceof MemoryOp access
          && access.movesWords()
          && program.constant(access.base()) == null) {
        add(access, open);
      }
      open.keySet().removeAll(changed(op));
    }
  }

  private static Set<Register> changed(Op op) {
    if (op instanceof StoreOp) {
      return Set.of();
    }
    return op.function != null || op instanceof LoadOp ? op.overwritten() : op.touches;
  }

  private void add(MemoryOp access, Map<Register, Integer> open) {
    Integer slot = open.get(access.base());
    long end = access.offset() + access.bytes;
    if (slot != null) {
      Part p = parts.get(slot);
      if (p.first.space() == access.space() && p.first.bytes == access.bytes) {
        long lo = Math.min(p.lo, access.offset());
        parts.set(slot, new Part(slot, p.first, lo, Math.max(p.hi, end)));
        slots.put(access, slot);
      }
    } else if (parts.size() < Gathered.MOST_BASES) {
      open.put(access.base(), parts.size());
      slots.put(access, parts.size());
      parts.add(new Part(parts.size(), access, access.offset(), end));
    }
  }

  /** The accesses that an operation is the first of, or null. */
  @Nullable Part first(Op op) {
    Integer slot = slots.get(op);
    return slot != null && parts.get(slot).first == op ? parts.get(slot) : null;
  }

  /** Where it is noted where an operation accesses memory, or -1 if it is none of these. */
  int slot(Op op) {
    return slots.getOrDefault(op, -1);
  }
}
