package dev.reprise.softgpu.engine.exec;

import dev.reprise.softgpu.memory.AddressSpace;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * A warp: one array of 32 lanes per virtual register, by class, and predicates as one bit mask
 * each. Values of 16 bits lie zero-extended in int arrays. Used by one thread at a time.
 */
public final class Warp {
  /** Lanes in a warp. */
  public static final int LANES = 32;

  /** The bit of each lane in a mask. */
  static final int[] LANE_BITS = new int[LANES];

  static {
    for (int k = 0; k < LANES; k++) {
      LANE_BITS[k] = 1 << k;
    }
  }

  /** Jumps back before other warps get a turn. */
  private static final int QUANTUM = 1 << 16;

  /** Jumps back before other groups of the warp get a turn. */
  private static final int TURN = 1 << 14;

  /** How much more a jump back counts where the loop has polled memory. */
  private static final int POLL_COST = 256;

  /** Registers of 16 and 32 bits that hold no float. */
  public final int[][] i;

  public final float[][] f;
  public final long[][] l;
  public final double[][] d;
  public final int[] p;

  /** Where results go that are blended into the destination under a partial mask. */
  final int[] intScratch = new int[LANES];

  final float[] floatScratch = new float[LANES];
  final long[] longScratch = new long[LANES];
  final double[] doubleScratch = new double[LANES];

  /** Native address of each lane of the access in progress, where they are scattered. */
  final long[] address = new long[LANES];

  /** What operations with several addresses in a lane add to that of the operand. */
  final long[] extra = new long[LANES];

  /** Native address of lane 0 of the access in progress, where they are not. */
  long start;

  /** The least and the greatest address of the access in progress, where it was looked for. */
  long least;

  long most;

  /** A warp's worth of vectors of four on their way between memory and registers. */
  final float[] floatRun = new float[4 * LANES];

  final int[] intRun = new int[4 * LANES];

  final Results results = new Results();

  /** What generated loops load. */
  final Gathered gathered = new Gathered();

  private final @Nullable CallStack[] calls = new CallStack[LANES];

  /** Asynchronous copies of the lanes. */
  final AsyncCopies copies = new AsyncCopies();

  /** Groups of bulk copies; null until there are some. */
  private @Nullable BulkGroups bulkGroups;

  /** Predicates on their way out of a generated loop: all ones or 0 in each lane. */
  final int[][] tests = new int[16][LANES];

  /** Carry flags of the extended-precision instructions. */
  public int carry;

  /** Lanes that exist and have not exited. */
  int live;

  /** Lanes that have arrived at the barrier of the cluster in its current phase. */
  int clusterArrived;

  /** Lanes that have arrived at the barrier of the cluster and have yet to wait there. */
  int clusterOwes;

  /**
   * Set by operations by which a lane may be waiting for another: atomics, volatile loads, sleeps.
   */
  boolean polled;

  /** Runs are compiled after so many operations in them, never where negative. */
  final int compileAfter;

  /** Whether generated code may use the Vector API. */
  final boolean vectors;

  /** Counts what is executed; null where nobody wants to know. */
  @Nullable Counts counts;

  final Block block;
  final int index;
  final AddressSpace memory;
  final Groups groups = new Groups();

  Warp(Block block, int index, Program program, AddressSpace memory) {
    this.block = block;
    this.index = index;
    this.memory = memory;
    compileAfter = block.shape().compileAfter();
    vectors = block.shape().vectors();
    i = new int[program.ints().length][];
    f = new float[program.floats().length][];
    l = new long[program.longs().length][];
    d = new double[program.doubles().length][];
    p = new int[program.predicates()];
    Storage storage = compileAfter < 0 ? program.unshared() : program.storage();
    fill(i, program.ints(), storage.ints(), n -> new int[n]);
    fill(f, program.floats(), storage.floats(), n -> new float[n]);
    fill(l, program.longs(), storage.longs(), n -> new long[n]);
    fill(d, program.doubles(), storage.doubles(), n -> new double[n]);
  }

  /** Gives each register its array: a constant, or the one that it shares with others. */
  private static <T> void fill(
      T[] registers, @Nullable T[] constants, int[] shared, IntFunction<T> create) {
    @Nullable T[] arrays = registers.clone();
    for (int k = 0; k < registers.length; k++) {
      T array = constants[k] != null ? constants[k] : arrays[shared[k]];
      if (array == null) {
        array = create.apply(LANES);
        arrays[shared[k]] = array;
      }
      registers[k] = array;
    }
  }

  /** Places the given lanes at the start of the program. */
  void start(int lanes) {
    live = lanes;
    clusterArrived = 0;
    clusterOwes = 0;
    carry = 0;
    copies.clear();
    bulkGroups = null;
    for (CallStack stack : calls) {
      if (stack != null) {
        stack.clear();
      }
    }
    polled = false;
    groups.clear();
    groups.add(0, lanes, Groups.READY, 0);
  }

  /** The groups of bulk copies of the lanes. */
  BulkGroups bulkGroups() {
    BulkGroups groups = bulkGroups;
    if (groups == null) {
      groups = new BulkGroups();
      bulkGroups = groups;
    }
    return groups;
  }

  /** The block has ended. */
  void end() {
    BulkGroups groups = bulkGroups;
    if (groups != null) {
      groups.end();
      bulkGroups = null;
    }
  }

  /** The callers of a lane. */
  CallStack calls(int lane) {
    CallStack stack = calls[lane];
    if (stack == null) {
      stack = new CallStack();
      calls[lane] = stack;
    }
    return stack;
  }

  /** The bits of a predicate given lane by lane. */
  static int pack(int[] lanes) {
    int bits = 0;
    for (int k = 0; k < LANES; k++) {
      bits |= lanes[k] & LANE_BITS[k];
    }
    return bits;
  }

  /** Tells the scheduler that a lane may be waiting for another. */
  public void poll() {
    polled = true;
  }

  Op[] code() {
    return block.program().code();
  }

  boolean runnable() {
    return groups.anyReady();
  }

  /**
   * Runs until no group can go on, or the quantum is spent.
   *
   * @return whether the warp stopped only because its quantum is spent
   */
  boolean run(Op[] code) {
    return run(code, QUANTUM);
  }

  /**
   * As the other one.
   *
   * @param jumps how many jumps back spend the quantum
   */
  boolean run(Op[] code, int jumps) {
    int quantum = jumps;
    // A jump through a table ends the turn of its group, so that its own are counted over all.
    int tableTurn = TURN;
    boolean joins = compileAfter >= 0 && counts == null && block.watch == null;
    while (true) {
      int g = groups.pick();
      if (g < 0) {
        return false;
      }
      int pc = groups.pc[g];
      int mask = groups.mask[g];
      int penalty = groups.penalty[g];
      groups.remove(g);
      mask |= groups.takeAt(pc);
      int limit = groups.nextAfter(pc);
      int turn = TURN;
      while (mask != 0) {
        Op op = code[pc];
        int m = mask;
        if (op.guard >= 0) {
          m &= p[op.guard] ^ op.guardFlip;
        }
        Counts counting = counts;
        if (counting != null && op.length == 1 && op.kind != Op.SYNC) {
          counting.count(op, this, mask, m);
        }
        switch (op.kind) {
          case Op.STRAIGHT -> {
            // No group stands elsewhere where all lanes are active.
            if (m == -1 && joins && op.together != null) {
              op = op.together;
            }
            if (m != 0) {
              op.run(this, m);
            }
            pc += op.length;
            if (pc != limit) {
              continue;
            }
          }
          case Op.BRANCH -> {
            int next = ((BranchOp) op).target;
            if (m != mask) {
              if (m == 0) {
                next = pc + 1;
              } else {
                // The side that is behind goes first, so that it can catch up.
                int taken = next;
                next = Math.min(taken, pc + 1);
                int ahead = Math.max(taken, pc + 1);
                groups.add(ahead, ahead == taken ? m : mask & ~m, Groups.READY, penalty);
                mask = next == taken ? m : mask & ~m;
              }
            }
            if (next <= pc) {
              int cost = polled ? POLL_COST : 1;
              polled = false;
              quantum -= cost;
              turn -= cost;
              if (quantum <= 0) {
                groups.add(next, mask, Groups.READY, penalty + 1);
                return true;
              }
              if (turn <= 0 && groups.count > 0) {
                groups.add(next, mask, Groups.READY, penalty + 1);
                mask = 0;
                continue;
              }
            }
            pc = next;
            if (groups.count == 0) {
              limit = Integer.MAX_VALUE;
              continue;
            }
          }
          case Op.EXIT -> {
            mask &= ~m;
            pc++;
            if (m != 0) {
              live &= ~m;
              groups.wakeSync();
              block.exited(this, m);
            }
          }
          case Op.SYNC -> {
            int waiting = m == 0 ? 0 : m & ~((SyncOp) op).attempt(this, m);
            if (counting != null) {
              counting.count(op, this, mask, m & ~waiting);
            }
            if (waiting != 0) {
              groups.add(pc, waiting, Groups.SYNC, penalty);
              mask &= ~waiting;
            }
            pc++;
          }
          case Op.BARRIER -> {
            pc++;
            if (m != 0) {
              mask &= ~((BlockingOp) op).arrive(this, m, pc);
            }
          }
          case Op.CALL -> {
            if (m != 0) {
              ((CallOp) op).enter(this, m, pc, penalty);
              mask &= ~m;
            }
            pc++;
          }
          case Op.RETURN -> {
            if (m != 0) {
              ((ReturnOp) op).leave(this, code, m, penalty);
              mask &= ~m;
            }
            pc++;
          }
          case Op.TABLE -> {
            if (m != mask) {
              groups.add(pc + 1, mask & ~m, Groups.READY, penalty);
            }
            if (m != 0) {
              int next = penalty;
              if (((TableOp) op).jumpsBack(this, m, pc)) {
                int cost = polled ? POLL_COST : 1;
                polled = false;
                quantum -= cost;
                tableTurn -= cost;
                if (tableTurn <= 0) {
                  tableTurn = TURN;
                  next++;
                }
              }
              ((TableOp) op).split(this, m, next);
            }
            mask = 0;
            if (quantum <= 0) {
              return true;
            }
          }
          default -> throw new AssertionError(op.kind);
        }
        if (mask == 0) {
          continue;
        }
        mask |= groups.takeAt(pc);
        if (groups.readyBefore(penalty, pc)) {
          groups.add(pc, mask, Groups.READY, penalty);
          mask = 0;
        } else {
          limit = groups.nextAfter(pc);
        }
      }
    }
  }
}
