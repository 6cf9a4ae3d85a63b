package dev.reprise.softgpu.engine.exec;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which registers hold, after each operation of a program, values that the same thread may still
 * read. It is the analysis of the control flow of one thread, and holds for all lanes of a warp
 * wherever each of them stands, since a lane only ever reads and writes its own slot of an array.
 */
public final class Liveness {
  private final Op[] code;
  private final Map<Register, Integer> numbers = new HashMap<>();

  /** First operation of each basic block, and one more: the end. */
  private final int[] starts;

  /** Registers that live at the end of each block. */
  private final BitSet[] out;

  private Liveness(Op[] code) {
    this.code = code;
    for (Op op : code) {
      op.touches.forEach(this::number);
      op.reads().forEach(this::number);
    }
    starts = blocks(code);
    out = new BitSet[starts.length - 1];
    solve();
  }

  /**
   * Of a program as it was decoded, without runs.
   *
   * @return null where functions are called, whose returns are not followed
   */
  public static @Nullable Liveness of(Op[] code) {
    for (Op op : code) {
      if (op.kind == Op.CALL || op.kind == Op.RETURN) {
        return null;
      }
    }
    return new Liveness(code);
  }

  private int number(Register r) {
    return numbers.computeIfAbsent(r, x -> numbers.size());
  }

  private static int[] blocks(Op[] code) {
    BitSet leaders = new BitSet();
    leaders.set(0);
    for (int pc = 0; pc < code.length; pc++) {
      if (ends(code[pc])) {
        leaders.set(pc + 1);
        for (int next : successors(code, pc)) {
          leaders.set(next);
        }
      }
    }
    leaders.clear(code.length, leaders.length());
    leaders.set(code.length);
    return leaders.stream().toArray();
  }

  private static boolean ends(Op op) {
    return op.kind == Op.BRANCH || op.kind == Op.EXIT || op.kind == Op.TABLE;
  }

  /** Where a thread may go after an operation. */
  private static int[] successors(Op[] code, int pc) {
    Op op = code[pc];
    int[] jumps =
        switch (op.kind) {
          case Op.BRANCH -> new int[] {((BranchOp) op).target};
          case Op.TABLE -> ((TableOp) op).targets();
          case Op.EXIT -> new int[0];
          default -> null;
        };
    if (jumps != null && op.guard < 0) {
      return jumps;
    }
    int[] all = jumps == null ? new int[1] : Arrays.copyOf(jumps, jumps.length + 1);
    all[all.length - 1] = pc + 1;
    return Arrays.stream(all).filter(next -> next < code.length).toArray();
  }

  private int block(int pc) {
    int found = Arrays.binarySearch(starts, pc);
    return found >= 0 ? found : -found - 2;
  }

  private void solve() {
    BitSet[] in = new BitSet[out.length];
    ArrayDeque<Integer> work = new ArrayDeque<>();
    int[][] before = new int[out.length][];
    for (int b = 0; b < out.length; b++) {
      out[b] = new BitSet();
      in[b] = new BitSet();
      work.push(b);
    }
    for (int b = 0; b < out.length; b++) {
      for (int next : successors(code, starts[b + 1] - 1)) {
        int target = block(next);
        int[] known = before[target];
        before[target] = known == null ? new int[1] : Arrays.copyOf(known, known.length + 1);
        before[target][before[target].length - 1] = b;
      }
    }
    // The last block first: values flow backwards.
    while (!work.isEmpty()) {
      int b = work.pop();
      BitSet live = (BitSet) out[b].clone();
      for (int pc = starts[b + 1] - 1; pc >= starts[b]; pc--) {
        back(live, code[pc]);
      }
      if (!live.equals(in[b]) && before[b] != null) {
        for (int p : before[b]) {
          out[p].or(live);
          work.push(p);
        }
      }
      in[b] = live;
    }
  }

  /** From what lives after an operation to what lives before it. */
  private void back(BitSet live, Op op) {
    op.overwrites().forEach(r -> live.clear(number(r)));
    op.reads().forEach(r -> live.set(number(r)));
  }

  /**
   * What lives after each of the operations from {@code from} to {@code to - 1}, all of one basic
   * block.
   */
  After after(int from, int to) {
    BitSet[] all = new BitSet[to - from];
    int b = block(from);
    BitSet live = (BitSet) out[b].clone();
    for (int pc = starts[b + 1] - 1; pc >= from; pc--) {
      if (pc < to) {
        all[pc - from] = (BitSet) live.clone();
      }
      back(live, code[pc]);
    }
    return new After(numbers, all);
  }

  /** What lives after each operation of a run. */
  record After(Map<Register, Integer> numbers, BitSet[] live) {
    /** Whether a value of the register may be read after the operation. */
    boolean wants(Register r, int operation) {
      Integer number = numbers.get(r);
      return number == null || live[operation].get(number);
    }
  }

  /** From the first to the last operation at which a register has a value or is touched. */
  record Range(int first, int last) {
    Range with(int pc) {
      return new Range(Math.min(first, pc), Math.max(last, pc));
    }
  }

  /** The ranges of all registers that operations touch. */
  Map<Register, Range> ranges() {
    Range[] found = new Range[numbers.size()];
    for (int b = 0; b < out.length; b++) {
      BitSet live = (BitSet) out[b].clone();
      int last = starts[b + 1] - 1;
      live.stream().forEach(n -> extend(found, n, last));
      for (int pc = last; pc >= starts[b]; pc--) {
        int at = pc;
        code[pc].touches.forEach(r -> extend(found, number(r), at));
        back(live, code[pc]);
      }
      int first = starts[b];
      live.stream().forEach(n -> extend(found, n, first));
    }
    Map<Register, Range> all = new HashMap<>();
    for (Op op : code) {
      for (Register r : op.touches) {
        all.put(r, found[number(r)]);
      }
    }
    return all;
  }

  private static void extend(Range[] found, int number, int pc) {
    Range known = found[number];
    found[number] = known == null ? new Range(pc, pc) : known.with(pc);
  }
}
