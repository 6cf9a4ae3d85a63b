package dev.reprise.softgpu.engine.exec;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which registers hold, after each operation of a program, values that the same thread may still
 * read. It is the analysis of the control flow of one thread, and holds for all lanes of a warp
 * wherever each of them stands, since a lane only ever reads and writes its own slot of an array.
 */
final class Liveness {
  private final Op[] code;
  private final Map<Register, Integer> numbers = new HashMap<>();

  /** Numbers of the registers of each operation. */
  private final int[][] reads;

  private final int[][] overwrites;
  private final int[][] touches;

  /** First operation of each basic block, and one more: the end. */
  private final int[] starts;

  /** Registers that live at the end of each block. */
  private final BitSet[] out;

  private Liveness(Op[] code) {
    this.code = code;
    reads = new int[code.length][];
    overwrites = new int[code.length][];
    touches = new int[code.length][];
    for (int pc = 0; pc < code.length; pc++) {
      reads[pc] = numbers(code[pc].reads());
      overwrites[pc] = numbers(code[pc].overwrites());
      touches[pc] = numbers(code[pc].touches);
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
  static @Nullable Liveness of(Op[] code) {
    for (Op op : code) {
      if (op.kind == Op.CALL || op.kind == Op.RETURN) {
        return null;
      }
    }
    return new Liveness(code);
  }

  private int[] numbers(Collection<Register> registers) {
    int[] all = new int[registers.size()];
    int n = 0;
    for (Register r : registers) {
      Integer known = numbers.putIfAbsent(r, numbers.size());
      all[n++] = known != null ? known : numbers.size() - 1;
    }
    return all;
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
    leaders.clear(code.length, Math.max(code.length, leaders.length()));
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
          default -> new int[0];
        };
    if (ends(op) && op.guard < 0 || pc + 1 == code.length) {
      return jumps;
    }
    int[] all = Arrays.copyOf(jumps, jumps.length + 1);
    all[jumps.length] = pc + 1;
    return all;
  }

  private int block(int pc) {
    int found = Arrays.binarySearch(starts, pc);
    return found >= 0 ? found : -found - 2;
  }

  private void solve() {
    int blocks = out.length;
    BitSet[] in = new BitSet[blocks];
    List<ArrayDeque<Integer>> before =
        Arrays.stream(out).map(x -> new ArrayDeque<Integer>()).toList();
    ArrayDeque<Integer> work = new ArrayDeque<>();
    for (int b = 0; b < blocks; b++) {
      out[b] = new BitSet();
      in[b] = new BitSet();
      // The last block comes first: values flow backwards.
      work.push(b);
      for (int next : successors(code, starts[b + 1] - 1)) {
        before.get(block(next)).add(b);
      }
    }
    while (!work.isEmpty()) {
      int b = work.pop();
      BitSet live = liveAt(b, starts[b]);
      if (!live.equals(in[b])) {
        in[b] = live;
        for (int p : before.get(b)) {
          out[p].or(live);
          work.push(p);
        }
      }
    }
  }

  /** What lives before an operation of a block. */
  private BitSet liveAt(int block, int pc) {
    BitSet live = (BitSet) out[block].clone();
    for (int k = starts[block + 1] - 1; k >= pc; k--) {
      back(live, k);
    }
    return live;
  }

  /** From what lives after an operation to what lives before it. */
  private void back(BitSet live, int pc) {
    for (int n : overwrites[pc]) {
      live.clear(n);
    }
    for (int n : reads[pc]) {
      live.set(n);
    }
  }

  /**
   * What lives after each of the operations from {@code from} to {@code to - 1}, all of one basic
   * block.
   */
  After after(int from, int to) {
    BitSet[] all = new BitSet[to - from];
    int b = block(from);
    BitSet live = to == starts[b + 1] ? (BitSet) out[b].clone() : liveAt(b, to);
    for (int pc = to - 1; pc >= from; pc--) {
      all[pc - from] = (BitSet) live.clone();
      back(live, pc);
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
  record Range(Register register, int first, int last) {}

  /** The ranges of all registers that operations touch. */
  List<Range> ranges() {
    int[] first = new int[numbers.size()];
    int[] last = new int[numbers.size()];
    Arrays.fill(first, Integer.MAX_VALUE);
    BitSet touched = new BitSet();
    for (int b = 0; b < out.length; b++) {
      int start = starts[b];
      int end = starts[b + 1] - 1;
      out[b].stream().forEach(n -> extend(first, last, n, end));
      liveAt(b, start).stream().forEach(n -> extend(first, last, n, start));
      for (int pc = start; pc <= end; pc++) {
        for (int n : touches[pc]) {
          extend(first, last, n, pc);
          touched.set(n);
        }
      }
    }
    return numbers.entrySet().stream()
        .filter(e -> touched.get(e.getValue()))
        .map(e -> new Range(e.getKey(), first[e.getValue()], last[e.getValue()]))
        .toList();
  }

  private static void extend(int[] first, int[] last, int n, int pc) {
    first[n] = Math.min(first[n], pc);
    last[n] = Math.max(last[n], pc);
  }
}
