package dev.reprise.softgpu.engine.exec;

import java.util.Arrays;

/**
 * What the warps of a launch did, counted as they do it. One worker counts into one object; {@link
 * #add} puts them together.
 */
public final class Counts {
  private final long[] values = new long[Counter.values().length];
  private final long[] warpInstructions = new long[InstructionKind.values().length];
  private final long[] threadInstructions = new long[InstructionKind.values().length];

  private final long[] addresses = new long[Warp.LANES];
  private final long[] sorted = new long[Warp.LANES];

  /** What is counted beside instructions. */
  public enum Counter {
    FLOPS,
    GLOBAL_LOAD_REQUESTS,
    GLOBAL_LOAD_SECTORS,
    GLOBAL_LOAD_BYTES,
    GLOBAL_STORE_REQUESTS,
    GLOBAL_STORE_SECTORS,
    GLOBAL_STORE_BYTES,
    GLOBAL_ATOMIC_REQUESTS,
    GLOBAL_ATOMIC_SECTORS,
    GLOBAL_ATOMIC_BYTES,
    SHARED_REQUESTS,
    SHARED_WAVEFRONTS,
    SHARED_EXTRA_WAVEFRONTS,
    BRANCHES,
    DIVERGENT_BRANCHES
  }

  private static final int SECTOR = 32;
  private static final int BANKS = 32;
  private static final int BANK_BYTES = 4;

  /** Bytes that shared memory serves at once. */
  private static final int WAVEFRONT = BANKS * BANK_BYTES;

  /** The counter. */
  public long get(Counter counter) {
    return values[counter.ordinal()];
  }

  /** Instructions of a kind that a warp executed with at least one lane. */
  public long warpInstructions(InstructionKind kind) {
    return warpInstructions[kind.ordinal()];
  }

  /** Instructions of a kind, once for each lane that executed them. */
  public long threadInstructions(InstructionKind kind) {
    return threadInstructions[kind.ordinal()];
  }

  /** Adds what another has counted. */
  public synchronized void add(Counts other) {
    add(values, other.values);
    add(warpInstructions, other.warpInstructions);
    add(threadInstructions, other.threadInstructions);
  }

  private static void add(long[] to, long[] from) {
    Arrays.setAll(to, k -> to[k] + from[k]);
  }

  /**
   * Counts an operation that is about to run.
   *
   * @param mask lanes that have come here together
   * @param m those that the guard lets through
   */
  void count(Op op, Warp w, int mask, int m) {
    if (op.leads && m != 0) {
      Instruction i = Instruction.of(op);
      int lanes = Integer.bitCount(m);
      warpInstructions[i.kind().ordinal()]++;
      threadInstructions[i.kind().ordinal()] += lanes;
      bump(Counter.FLOPS, (long) i.flopsOfLane() * lanes + i.flopsOfWarp());
    }
    if (op.kind == Op.BRANCH && op.leads) {
      bump(Counter.BRANCHES, 1);
      bump(Counter.DIVERGENT_BRANCHES, m != 0 && m != mask ? 1 : 0);
    }
    if (m != 0 && op instanceof MemoryOp memory && op.kind == Op.STRAIGHT) {
      memory(memory, w, m);
    }
  }

  private void memory(MemoryOp op, Warp w, int m) {
    op.addresses(w, addresses);
    int global = 0;
    int shared = 0;
    switch (op.space()) {
      case GLOBAL -> global = m;
      case SHARED, SHARED_CLUSTER -> shared = m;
      case GENERIC -> {
        for (int rest = m; rest != 0; rest &= rest - 1) {
          int lane = Integer.numberOfTrailingZeros(rest);
          long at = addresses[lane];
          if (Windows.in(at, Windows.SHARED)) {
            shared |= 1 << lane;
          } else if (!Windows.in(at, Windows.LOCAL) && !Windows.in(at, Windows.PARAM)) {
            global |= 1 << lane;
          }
        }
      }
      case CONST, LOCAL, PARAM -> {}
    }
    if (global != 0) {
      Counter requests =
          switch (op) {
            case LoadOp load -> Counter.GLOBAL_LOAD_REQUESTS;
            case StoreOp store -> Counter.GLOBAL_STORE_REQUESTS;
            default -> Counter.GLOBAL_ATOMIC_REQUESTS;
          };
      values[requests.ordinal()]++;
      values[requests.ordinal() + 1] += distinct(global, op.bytes, SECTOR);
      values[requests.ordinal() + 2] += (long) Integer.bitCount(global) * op.bytes;
    }
    if (shared != 0) {
      bump(Counter.SHARED_REQUESTS, 1);
      wavefronts(shared, op.bytes);
    }
  }

  /** How many units of so many bytes the lanes touch. */
  private int distinct(int lanes, int bytes, int unit) {
    int n = 0;
    int found = 0;
    for (int rest = lanes; rest != 0; rest &= rest - 1) {
      sorted[n++] = addresses[Integer.numberOfTrailingZeros(rest)];
    }
    Arrays.sort(sorted, 0, n);
    long last = Long.MIN_VALUE;
    for (int k = 0; k < n; k++) {
      long first = Math.max(last + 1, sorted[k] / unit);
      long end = (sorted[k] + bytes - 1) / unit;
      found += (int) Math.max(0, end - first + 1);
      last = Math.max(last, end);
    }
    return found;
  }

  /**
   * As many lanes as fit into 128 bytes go together; they take as many wavefronts as the fullest
   * bank has different words.
   */
  private void wavefronts(int lanes, int bytes) {
    int together = Math.min(Warp.LANES, WAVEFRONT / Math.max(bytes, BANK_BYTES));
    for (int from = 0; from < Warp.LANES; from += together) {
      int part = lanes & (together == Warp.LANES ? -1 : ((1 << together) - 1) << from);
      if (part == 0) {
        continue;
      }
      int[] words = new int[BANKS];
      int n = 0;
      long[] seen = new long[Warp.LANES * Math.max(1, bytes / BANK_BYTES) + Warp.LANES];
      for (int rest = part; rest != 0; rest &= rest - 1) {
        long at = addresses[Integer.numberOfTrailingZeros(rest)];
        for (long word = at / BANK_BYTES; word <= (at + bytes - 1) / BANK_BYTES; word++) {
          seen[n++] = word;
        }
      }
      Arrays.sort(seen, 0, n);
      int most = 0;
      for (int k = 0; k < n; k++) {
        if (k == 0 || seen[k] != seen[k - 1]) {
          most = Math.max(most, ++words[(int) (seen[k] % BANKS)]);
        }
      }
      bump(Counter.SHARED_WAVEFRONTS, most);
      bump(Counter.SHARED_EXTRA_WAVEFRONTS, most - 1);
    }
  }

  private void bump(Counter counter, long by) {
    values[counter.ordinal()] += by;
  }
}
