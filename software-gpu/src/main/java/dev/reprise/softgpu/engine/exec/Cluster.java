package dev.reprise.softgpu.engine.exec;

import java.util.ArrayList;
import java.util.List;

/**
 * The blocks of one cluster. They run in turns on one thread, meet at a barrier of their own and
 * reach each other's shared memory. A block that was launched without clusters is one by itself.
 *
 * <p>An address of shared memory that {@code mapa} makes holds the rank of its block, plus one, in
 * the bits from {@link #BLOCK_BITS} on; others lie in the block of whoever uses them.
 */
public final class Cluster {
  /** No block has more shared memory than these bits can address. */
  private static final int BLOCK_BITS = 24;

  private static final int OFFSET = (1 << BLOCK_BITS) - 1;

  /** Ranks that an address can hold are those below. */
  private static final int RANKS = 1 << 6;

  /** Blocks along each axis. */
  public record Shape(int x, int y, int z) {
    public static final Shape ONE = new Shape(1, 1, 1);

    public int blocks() {
      return x * y * z;
    }
  }

  /** What happens at a barrier in memory once somebody looks at it. */
  private record Tracked(long barrier, Runnable arrival) {}

  private final Shape shape;
  private final Block[] blocks;
  private final List<Tracked> tracked = new ArrayList<>();

  /** Live lanes that have arrived at the barrier of the cluster in its current phase. */
  private int arrived;

  /** The blocks by rank; they have yet to be started. */
  public Cluster(Shape shape, Block... blocks) {
    this.shape = shape;
    this.blocks = blocks;
    for (int rank = 0; rank < blocks.length; rank++) {
      blocks[rank].join(this, rank);
    }
  }

  public Shape shape() {
    return shape;
  }

  /** The blocks by rank; not to be changed. */
  public Block[] blocks() {
    return blocks;
  }

  /** The address in shared memory of a block that another block can use. */
  public static int map(int address, int rank) {
    return (address & OFFSET) | ((rank & RANKS - 1) + 1) << BLOCK_BITS;
  }

  /** The rank that an address in shared memory holds; {@code own} where it holds none. */
  public static int rank(long address, int own) {
    int held = (int) (address >>> BLOCK_BITS) & 0xff;
    return held == 0 ? own : held - 1;
  }

  /** Where in its block's shared memory an address lies. */
  static long offset(long address) {
    return address & OFFSET;
  }

  /** Forgets what a block that is alone has left behind. */
  void reset() {
    tracked.clear();
    arrived = 0;
  }

  /**
   * Runs the blocks until all have ended, or until they only jump back: they may be waiting for
   * other clusters.
   *
   * @return whether all have ended
   * @throws ProgramFault for anything a device stops for
   */
  public boolean run() {
    if (blocks[0].interleaved()) {
      return runOne();
    }
    while (true) {
      boolean live = false;
      boolean able = false;
      boolean progress = false;
      for (Block b : blocks) {
        if (!b.ended()) {
          live = true;
          if (b.runnable()) {
            able = true;
            progress |= b.run() != Block.Turn.SPINNING;
          }
        }
      }
      if (!live) {
        return true;
      }
      if (!able) {
        throw deadlock();
      }
      if (!progress) {
        return false;
      }
    }
  }

  /** Lets one block have some turns that are chosen. */
  private boolean runOne() {
    int able = 0;
    for (Block b : blocks) {
      able += b.runnable() ? 1 : 0;
    }
    if (able == 0) {
      throw deadlock();
    }
    int chosen = blocks[0].oneOf(able);
    for (Block b : blocks) {
      if (b.runnable() && chosen-- == 0) {
        b.run();
        break;
      }
    }
    for (Block b : blocks) {
      if (!b.ended()) {
        return false;
      }
    }
    return true;
  }

  private ProgramFault deadlock() {
    Block first = null;
    StringBuilder others = new StringBuilder();
    for (Block b : blocks) {
      if (!b.ended()) {
        if (first == null) {
          first = b;
        } else {
          others.append(b.places());
        }
      }
    }
    return java.util.Objects.requireNonNull(first).deadlock(others.toString());
  }

  /** Keeps an arrival at a barrier in memory, given by its native address, for later. */
  void track(long barrier, Runnable arrival) {
    tracked.add(new Tracked(barrier, arrival));
  }

  /** Lets the arrivals at a barrier that were kept happen. */
  void completeTracked(long barrier) {
    if (tracked.isEmpty()) {
      return;
    }
    List<Tracked> due = tracked.stream().filter(t -> t.barrier == barrier).toList();
    tracked.removeAll(due);
    due.forEach(t -> t.arrival.run());
  }

  /** Lanes arrive at the barrier of the cluster. */
  void arrive(Warp w, Op op, int m) {
    int again = m & w.clusterOwes;
    if (again != 0) {
      throw fault(op, again, "a thread arrives again before it has waited");
    }
    w.clusterOwes |= m;
    w.clusterArrived |= m;
    arrived += Integer.bitCount(m);
    openIfComplete();
  }

  /**
   * Lanes wait for the phase in which they have arrived.
   *
   * @return those that have to
   */
  int await(Warp w, Op op, int m, int nextPc) {
    int early = m & ~w.clusterOwes;
    if (early != 0) {
      throw fault(op, early, "a thread waits without having arrived");
    }
    w.clusterOwes &= ~m;
    int waiting = m & w.clusterArrived;
    if (waiting != 0) {
      w.groups.addAtBarrier(nextPc, waiting, Groups.CLUSTER, null);
    }
    return waiting;
  }

  /** Lanes have exited; nobody waits for them any more. */
  void exited(Warp w, int m) {
    arrived -= Integer.bitCount(m & w.clusterArrived);
    w.clusterArrived &= ~m;
    if (arrived > 0) {
      openIfComplete();
    }
  }

  private void openIfComplete() {
    int live = 0;
    for (Block b : blocks) {
      live += b.liveLanes();
    }
    if (arrived == live) {
      arrived = 0;
      List<BlockWatch> watches = new ArrayList<>();
      for (Block b : blocks) {
        b.clusterBarrier();
        if (b.watch != null) {
          watches.add(b.watch);
        }
      }
      if (!watches.isEmpty()) {
        watches.getFirst().clusterBarrier(watches);
      }
    }
  }

  private static LaneFault fault(Op op, int m, String what) {
    return new LaneFault(719, op.line, Integer.numberOfTrailingZeros(m), 0, op.text + ": " + what);
  }
}
