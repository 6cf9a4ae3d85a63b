package dev.reprise.softgpu.engine.exec;

import dev.reprise.softgpu.memory.AddressSpace;
import dev.reprise.softgpu.memory.HostMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A block being run: its warps, its shared, local and parameter memory, and its barriers. Reused
 * for block after block.
 */
public final class Block {
  private static final int BARRIERS = 16;

  /** As much as CUDA's buffer holds; what a block prints beyond is lost. */
  private static final int MOST_PRINTED = 1 << 20;

  /**
   * The threads of a block and its shared memory: launches of one program with equal shapes can use
   * the same block objects.
   *
   * @param stackBytes local memory of a thread for functions that call themselves
   * @param compileAfter runs of operations are compiled after so many operations in them, never
   *     where negative
   */
  public record Shape(
      int x, int y, int z, int sharedBytes, int stackBytes, int compileAfter, boolean vectors) {
    int threads() {
      return x * y * z;
    }

    int warps() {
      return (threads() + Warp.LANES - 1) / Warp.LANES;
    }
  }

  private final Program program;
  private final Shape shape;
  private final Warp[] warps;
  private final @Nullable Barrier[] barriers = new Barrier[BARRIERS];
  private final Specials specials;
  private final FaultReport reports;

  /** Keeps the native memory below alive. */
  @SuppressWarnings({"UnusedVariable", "FieldCanBeLocal"})
  private final Arena arena = Arena.ofAuto();

  /** Its cluster when it is launched without any. */
  private final Cluster alone;

  private Cluster cluster;
  private int rank;
  private int liveLanes;
  private long deadline;
  // Where the block is in its grid.
  private long column;
  private int row;
  private int layer;
  private StringBuilder printed = new StringBuilder();
  private @Nullable DeviceHeap heap;
  private long number;
  private @Nullable Interleaving interleaving;

  /** Who sees the accesses; null for nobody. */
  @Nullable BlockWatch watch;

  /** Native address of shared memory. */
  final long shared;

  final int sharedBytes;

  /**
   * Native address of the local memory of thread 0; that of thread t starts t × {@link #localBytes}
   * further.
   */
  final long local;

  final int localBytes;

  /** Native address of the parameter block. */
  final long parameters;

  final int parameterBytes;

  public Block(Program program, Shape shape, AddressSpace memory) {
    this.program = program;
    this.shape = shape;
    sharedBytes = shape.sharedBytes;
    localBytes = program.localBytes() + (program.stack() ? shape.stackBytes & -16 : 0);
    parameterBytes = program.parameterBytes();
    int n = shape.warps();
    shared = arena.allocate(Math.max(16, sharedBytes), 256).address();
    local = arena.allocate(Math.max(16L, (long) localBytes * n * Warp.LANES), 256).address();
    parameters = arena.allocate(Math.max(16, parameterBytes), 256).address();
    warps = new Warp[n];
    for (int k = 0; k < n; k++) {
      warps[k] = new Warp(this, k, program, memory);
    }
    specials = new Specials(program, shape, warps);
    // The constructor joins them.
    alone = new Cluster(Cluster.Shape.ONE, this);
    cluster = alone;
    reports = new FaultReport(program, shape, memory);
  }

  public Program program() {
    return program;
  }

  public Shape shape() {
    return shape;
  }

  /** Copies the parameter block of a launch. */
  public void parameters(byte[] values) {
    MemorySegment.copy(
        values,
        0,
        HostMemory.ALL,
        java.lang.foreign.ValueLayout.JAVA_BYTE,
        parameters,
        parameterBytes);
  }

  /**
   * Has {@link #run} stop for time.
   *
   * @param nanoTime as {@link System#nanoTime} counts; 0 for never
   */
  public void deadline(long nanoTime) {
    deadline = nanoTime;
  }

  /** Has the order of its warps be decided; null for the plain order. */
  public void interleave(@Nullable Interleaving order) {
    interleaving = order;
  }

  /** Has all that the warps do counted; null for no counting. */
  public void counts(@Nullable Counts counts) {
    for (Warp w : warps) {
      w.counts = counts;
    }
  }

  /**
   * What a launch gives its blocks.
   *
   * @param workspace address of the memory by which the blocks of a cooperative launch wait for
   *     each other, 0 in other launches
   * @param clusters whether it was launched in clusters
   */
  public record Surroundings(DeviceHeap heap, long workspace, boolean clusters) {}

  /** Becomes a block of a cluster. */
  void join(Cluster with, int at) {
    cluster = with;
    rank = at;
  }

  /** Leaves its last cluster and is one by itself. */
  public Cluster alone() {
    alone.reset();
    join(alone, 0);
    return alone;
  }

  Cluster cluster() {
    return cluster;
  }

  /** Its number in its cluster. */
  int rank() {
    return rank;
  }

  boolean ended() {
    return liveLanes == 0;
  }

  int liveLanes() {
    return liveLanes;
  }

  /** Whether some warp can go on. */
  boolean runnable() {
    for (Warp w : warps) {
      if (w.live != 0 && w.runnable()) {
        return true;
      }
    }
    return false;
  }

  boolean interleaved() {
    return interleaving != null;
  }

  /** Chooses one of several. */
  int oneOf(int count) {
    return java.util.Objects.requireNonNull(interleaving).oneOf(count);
  }

  /** The native address of a lane's local memory. */
  long localOf(Warp w, int lane) {
    return local + ((long) w.index * Warp.LANES + lane) * localBytes;
  }

  DeviceHeap heap() {
    return java.util.Objects.requireNonNull(heap);
  }

  /** The number of the block in its grid. */
  public long number() {
    return number;
  }

  /** What threads print. */
  void print(String text) {
    if (printed.length() < MOST_PRINTED) {
      printed.append(text);
    }
  }

  /** Takes what the threads have printed since. */
  public String takePrinted() {
    if (printed.isEmpty()) {
      return "";
    }
    String text = printed.toString();
    printed = new StringBuilder();
    return text;
  }

  /** Places all threads at the start of the program as block {@code linear} of a grid. */
  public void start(
      long linear,
      int gx,
      int gy,
      int gz,
      Surroundings surroundings,
      @Nullable LaunchWatch launchWatch) {
    heap = surroundings.heap;
    number = linear;
    printed.setLength(0);
    specials.workspace(surroundings.workspace);
    long x = linear % gx;
    int y = (int) (linear / gx % gy);
    int z = (int) (linear / gx / gy);
    specials.block(x, y, z, gx, gy, gz);
    specials.cluster(x, y, z, gx, gy, gz, cluster.shape(), rank, surroundings.clusters);
    column = x;
    row = y;
    layer = z;
    watch = launchWatch == null ? null : launchWatch.block(this, position());
    for (Barrier b : barriers) {
      if (b != null) {
        b.reset();
      }
    }
    int threads = shape.threads();
    liveLanes = threads;
    for (Warp w : warps) {
      int lanes = Math.min(Warp.LANES, threads - w.index * Warp.LANES);
      w.start(lanes == Warp.LANES ? -1 : (1 << lanes) - 1);
    }
  }

  private String position() {
    return "(" + column + ", " + row + ", " + layer + ")";
  }

  /** Why a block has stopped running. */
  enum Turn {
    ENDED,
    /** No warp can go on; another block of the cluster may change that. */
    BLOCKED,
    /** All warps that can go on only jump back: they may be waiting for another block. */
    SPINNING,
    /** It is another block's turn. */
    OVER
  }

  /**
   * Runs the block as far as it goes.
   *
   * @throws ProgramFault for anything a device stops for
   */
  Turn run() {
    Op[] code = program.code();
    Interleaving order = interleaving;
    if (order != null) {
      return run(code, order);
    }
    while (liveLanes > 0) {
      if (deadline != 0 && System.nanoTime() - deadline > 0) {
        throw reports.timeout(warps, position());
      }
      boolean any = false;
      boolean progress = false;
      for (Warp w : warps) {
        if (w.live != 0 && w.runnable()) {
          any = true;
          try {
            progress |= !w.run(code);
          } catch (LaneFault e) {
            throw reports.of(e, w, position());
          }
        }
      }
      if (!any) {
        return Turn.BLOCKED;
      }
      if (!progress) {
        return Turn.SPINNING;
      }
    }
    return end();
  }

  private Turn end() {
    for (Warp w : warps) {
      w.end();
    }
    return Turn.ENDED;
  }

  /**
   * Says where all threads stand, none of which can go on.
   *
   * @param others what {@link #places} says of other blocks of the cluster
   */
  ProgramFault deadlock(String others) {
    return reports.deadlock(warps, position(), others);
  }

  /** Where the threads stand. */
  String places() {
    return reports.places(warps, position());
  }

  /** As {@link #run()}, for some turns of warps that are chosen, until it is another block's. */
  private Turn run(Op[] code, Interleaving order) {
    for (int turns = order.turns(warps.length); liveLanes > 0 && turns > 0; turns--) {
      if (deadline != 0 && System.nanoTime() - deadline > 0) {
        throw reports.timeout(warps, position());
      }
      int count = 0;
      for (Warp w : warps) {
        if (w.live != 0 && w.runnable()) {
          count++;
        }
      }
      if (count == 0) {
        return Turn.BLOCKED;
      }
      int chosen = order.oneOf(count);
      for (Warp w : warps) {
        if (w.live != 0 && w.runnable() && chosen-- == 0) {
          try {
            // That its quantum is spent says nothing here: others get their turns anyway.
            boolean spent = w.run(code, order.quantum());
          } catch (LaneFault e) {
            throw reports.of(e, w, position());
          }
          break;
        }
      }
    }
    return liveLanes == 0 ? end() : Turn.OVER;
  }

  /** The barrier of the cluster has opened. */
  void clusterBarrier() {
    for (Warp w : warps) {
      w.clusterArrived = 0;
      Groups g = w.groups;
      for (int k = 0; k < g.count; k++) {
        if (g.state[k] == Groups.BARRIER && g.barrier[k] == Groups.CLUSTER) {
          g.state[k] = Groups.READY;
        }
      }
    }
  }

  void exited(Warp warp, int lanes) {
    liveLanes -= Integer.bitCount(lanes);
    cluster.exited(warp, lanes);
    for (int id = 0; id < BARRIERS; id++) {
      Barrier b = barriers[id];
      if (b != null && b.lanes > 0) {
        releaseIfComplete(b, id);
      }
    }
  }

  /**
   * Lanes of a warp arrive at a barrier.
   *
   * @return whether they wait: their group has been parked past the barrier, or is ready again if
   *     the barrier is complete
   */
  boolean arrive(Warp w, BarrierOp op, int m, int nextPc) {
    int id = uniform(w.i[op.id], op, m, "barrier number");
    if (id < 0 || id >= BARRIERS) {
      throw fault(op, m, "barrier " + id + " does not exist, a block has " + BARRIERS);
    }
    Barrier b = barriers[id];
    if (b == null) {
      b = new Barrier(warps.length);
      barriers[id] = b;
    }
    int threads = op.threads < 0 ? 0 : uniform(w.i[op.threads], op, m, "thread count");
    if (threads < 0 || threads % Warp.LANES != 0) {
      throw fault(
          op,
          m,
          "a barrier's thread count must be a multiple of " + Warp.LANES + ", not " + threads);
    }
    if (b.lanes > 0 && b.threads != threads) {
      throw fault(
          op,
          m,
          "barrier " + id + " is used with " + b.threads + " and with " + threads + " threads");
    }
    b.threads = threads;
    b.arrived[w.index] |= m;
    b.lanes += Integer.bitCount(m);
    if (op.source >= 0) {
      b.votes += Integer.bitCount(m & (w.p[op.source] ^ op.sourceFlip));
    }
    boolean waits = op.form != BarrierOp.Form.ARRIVE;
    BlockWatch seen = watch;
    if (seen != null && waits) {
      reportDivergence(seen, w, op, m, id);
    }
    if (waits) {
      w.groups.addAtBarrier(nextPc, m, id, op);
    }
    releaseIfComplete(b, id);
    return waits;
  }

  private static void reportDivergence(BlockWatch seen, Warp w, BarrierOp op, int m, int id) {
    Groups g = w.groups;
    for (int k = 0; k < g.count; k++) {
      BarrierOp other = g.barrierOp[k];
      if (g.state[k] == Groups.BARRIER && g.barrier[k] == id && other != null && other != op) {
        seen.diverged(w.index, m, op, other);
      }
    }
  }

  private static int uniform(int[] values, Op op, int m, String what) {
    int first = values[Integer.numberOfTrailingZeros(m)];
    for (int rest = m; rest != 0; rest &= rest - 1) {
      if (values[Integer.numberOfTrailingZeros(rest)] != first) {
        throw fault(op, m, "lanes of one warp name different values as " + what);
      }
    }
    return first;
  }

  private static LaneFault fault(Op op, int m, String what) {
    return new LaneFault(719, op.line, Integer.numberOfTrailingZeros(m), 0, op.text + ": " + what);
  }

  private void releaseIfComplete(Barrier b, int id) {
    if (b.threads == 0 ? b.lanes < liveLanes : countedThreads(b) < b.threads) {
      return;
    }
    int votes = b.votes;
    int lanes = b.lanes;
    b.reset();
    BlockWatch seen = watch;
    if (seen != null) {
      seen.barrier();
    }
    for (Warp w : warps) {
      Groups g = w.groups;
      for (int k = 0; k < g.count; k++) {
        BarrierOp op = g.barrierOp[k];
        if (g.state[k] == Groups.BARRIER && g.barrier[k] == id && op != null) {
          op.complete(w, g.mask[k], votes, lanes);
          g.state[k] = Groups.READY;
        }
      }
    }
  }

  /** Barriers with a thread count take whole warps. */
  private int countedThreads(Barrier b) {
    int count = 0;
    for (Warp w : warps) {
      int lanes = b.arrived[w.index];
      if (lanes != 0 && (w.live & ~lanes) == 0) {
        count += Warp.LANES;
      }
    }
    return count;
  }
}
