package dev.reprise.softgpu.engine;

import dev.reprise.softgpu.engine.exec.Block;
import dev.reprise.softgpu.engine.exec.Cluster;
import dev.reprise.softgpu.engine.exec.Counts;
import dev.reprise.softgpu.engine.exec.Interleaving;
import dev.reprise.softgpu.engine.exec.LaunchWatch;
import dev.reprise.softgpu.engine.exec.ProgramFault;
import dev.reprise.softgpu.memory.AddressSpace;
import dev.reprise.softgpu.memory.Allocation;
import java.util.ArrayList;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One launch in progress: hands out clusters of blocks in ascending order to the threads that work
 * on it. Without clusters each block is one by itself.
 */
final class LaunchRun {
  private final LaunchRequest launch;
  private final AddressSpace memory;
  private final Block.Shape shape;
  private final Block.Surroundings surroundings;
  private final @Nullable Allocation workspace;

  /** What blocks printed, by their number. */
  private final ConcurrentSkipListMap<Long, String> printed = new ConcurrentSkipListMap<>();

  private final Cluster.Shape cluster;
  private final long clusters;
  private final long deadline;
  private final @Nullable Counts counts;
  private final AtomicLong next = new AtomicLong();
  private final SpinningClusters spinning = new SpinningClusters();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

  /** Bit of {@link #helpers} that keeps further helpers out. */
  private static final int CLOSED = 1 << 30;

  /** Size and barrier of the grid, as cooperative groups lay them out, and room to spare. */
  private static final int WORKSPACE_BYTES = 64;

  private static final int SPINS = 2_000;

  /** How many helpers work on the launch. */
  private final AtomicInteger helpers = new AtomicInteger();

  private final Thread owner = Thread.currentThread();

  private final @Nullable LaunchWatch watch;
  private final @Nullable Interleaving interleaving;

  /**
   * @param counts where the counts of all workers go; null for none
   * @param interleaving decides what goes next, for a single worker; null for the plain order
   * @param deadline when the launch is ended, as {@link System#nanoTime} counts; 0 for never
   */
  LaunchRun(
      LaunchRequest launch,
      AddressSpace memory,
      Execution execution,
      KernelResources resources,
      long deadline,
      @Nullable Counts counts,
      @Nullable LaunchWatch watch,
      @Nullable Interleaving interleaving) {
    this.interleaving = interleaving;
    this.deadline = deadline;
    this.counts = counts;
    this.launch = launch;
    this.memory = memory;
    this.watch = watch;
    Dim3 asked = launch.cluster();
    cluster =
        asked == null ? Cluster.Shape.ONE : new Cluster.Shape(asked.x(), asked.y(), asked.z());
    clusters = launch.grid().count() / cluster.blocks();
    long shared = (long) launch.kernel().staticSharedBytes() + launch.dynamicSharedBytes();
    if (shared > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "shared memory of " + shared + " bytes is more than a block can have");
    }
    shape =
        new Block.Shape(
            launch.block().x(),
            launch.block().y(),
            launch.block().z(),
            (int) shared,
            resources.stackBytes(),
            execution.compileAfter(),
            execution.vectors());
    workspace =
        launch.cooperative()
            ? memory.allocate(WORKSPACE_BYTES, 16, "workspace of a cooperative launch")
            : null;
    surroundings =
        new Block.Surroundings(
            resources.heap(), workspace == null ? 0 : workspace.base(), asked != null);
  }

  /** Ends the launch, whether it went well or not, and gives what its blocks printed. */
  String end() {
    if (workspace != null) {
      memory.free(workspace);
    }
    return String.join("", printed.values());
  }

  private boolean run(Cluster c) {
    try {
      return c.run();
    } finally {
      // A block that waits for others goes on printing later.
      for (Block b : c.blocks()) {
        String text = b.takePrinted();
        if (!text.isEmpty()) {
          printed.merge(b.number(), text, String::concat);
        }
      }
    }
  }

  private void giveBack(Cluster c) {
    for (Block b : c.blocks()) {
      launch.kernel().blocks().give(b);
    }
  }

  long clusters() {
    return clusters;
  }

  /** Runs clusters until none is left to start and those begun here have ended. */
  void work() {
    ArrayList<Cluster> begun = new ArrayList<>();
    Counts own = counts == null ? null : new Counts();
    try {
      Interleaving order = interleaving;
      while (order != null && failure.get() == null) {
        if (order.beginsNext(begun.size())) {
          Cluster fresh = begin(own);
          if (fresh != null) {
            begun.add(fresh);
          } else if (begun.isEmpty()) {
            return;
          }
        }
        if (!begun.isEmpty()) {
          Cluster c = begun.get(order.oneOf(begun.size()));
          if (run(c)) {
            begun.remove(c);
            giveBack(c);
          }
        }
      }
      while (failure.get() == null) {
        // A block that only spins may wait for one that has not begun: new ones go first.
        Cluster c = begin(own);
        if (c == null) {
          c = spinning.poll();
        }
        if (c == null) {
          return;
        }
        if (own != null) {
          // Another thread may have begun it.
          for (Block b : c.blocks()) {
            b.counts(own);
          }
        }
        if (run(c)) {
          giveBack(c);
        } else {
          spinning.add(c);
        }
      }
    } catch (Throwable e) {
      failure.compareAndSet(null, e);
    } finally {
      if (counts != null && own != null) {
        counts.add(own);
      }
    }
  }

  /** Works on the launch, unless its owner has found it finished already. */
  void help() {
    if ((helpers.getAndIncrement() & CLOSED) == 0) {
      work();
    }
    if (helpers.decrementAndGet() == CLOSED) {
      LockSupport.unpark(owner);
    }
  }

  /** Lets no helper in any more and waits for those that are; called by the owner. */
  void awaitHelpers() {
    helpers.getAndAdd(CLOSED);
    for (int spin = 0; helpers.get() != CLOSED; spin++) {
      if (spin < SPINS) {
        Thread.onSpinWait();
      } else {
        LockSupport.park(this);
      }
    }
  }

  private @Nullable Cluster begin(@Nullable Counts own) {
    if (next.get() >= clusters) {
      return null;
    }
    long index = next.getAndIncrement();
    if (index >= clusters) {
      return null;
    }
    if (interleaving != null) {
      index = interleaving.place(index, clusters);
    }
    int n = cluster.blocks();
    if (n == 1) {
      Block b = take(own);
      Cluster c = b.alone();
      start(b, index);
      return c;
    }
    Block[] blocks = new Block[n];
    for (int rank = 0; rank < n; rank++) {
      blocks[rank] = take(own);
    }
    Cluster c = new Cluster(cluster, blocks);
    for (int rank = 0; rank < n; rank++) {
      start(blocks[rank], numberInGrid(index, rank));
    }
    return c;
  }

  /** The number of a block in the grid, by the number of its cluster and its rank there. */
  private long numberInGrid(long index, int rank) {
    Dim3 grid = launch.grid();
    long across = grid.x() / cluster.x();
    long down = grid.y() / cluster.y();
    long x = index % across * cluster.x() + rank % cluster.x();
    long y = index / across % down * cluster.y() + rank / cluster.x() % cluster.y();
    long z = index / across / down * cluster.z() + rank / cluster.x() / cluster.y();
    return (z * grid.y() + y) * grid.x() + x;
  }

  private Block take(@Nullable Counts own) {
    Block b = launch.kernel().blocks().take(launch.kernel().program(), shape, memory);
    b.parameters(launch.parameters());
    b.deadline(deadline);
    b.counts(own);
    b.interleave(interleaving);
    return b;
  }

  private void start(Block b, long number) {
    Dim3 grid = launch.grid();
    b.start(number, grid.x(), grid.y(), grid.z(), surroundings, watch);
  }

  /** Throws what went wrong first, if anything. */
  void check() {
    Throwable e = failure.get();
    switch (e) {
      case null -> {}
      case ProgramFault f ->
          throw new DeviceFault(f.cudaError(), String.valueOf(f.getMessage()), f.place());
      case RuntimeException r -> throw r;
      case Error r -> throw r;
      default -> throw new IllegalStateException(e);
    }
  }
}
