package dev.reprise.softgpu.engine;

import dev.reprise.softgpu.engine.exec.Block;
import dev.reprise.softgpu.engine.exec.Counts;
import dev.reprise.softgpu.engine.exec.Interleaving;
import dev.reprise.softgpu.engine.exec.LaunchWatch;
import dev.reprise.softgpu.engine.exec.ProgramFault;
import dev.reprise.softgpu.memory.AddressSpace;
import dev.reprise.softgpu.memory.Allocation;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** One launch in progress: hands out blocks in ascending order to the threads that work on it. */
final class LaunchRun {
  private final LaunchRequest launch;
  private final AddressSpace memory;
  private final Block.Shape shape;
  private final Block.Surroundings surroundings;
  private final @Nullable Allocation workspace;

  /** What blocks printed, by their number. */
  private final ConcurrentSkipListMap<Long, String> printed = new ConcurrentSkipListMap<>();

  private final long blocks;
  private final long deadline;
  private final @Nullable Counts counts;
  private final AtomicLong next = new AtomicLong();
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
    blocks = launch.grid().count();
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
            execution.compileAfter());
    workspace =
        launch.cooperative()
            ? memory.allocate(WORKSPACE_BYTES, 16, "workspace of a cooperative launch")
            : null;
    surroundings =
        new Block.Surroundings(resources.heap(), workspace == null ? 0 : workspace.base());
  }

  /** Ends the launch, whether it went well or not, and gives what its blocks printed. */
  String end() {
    if (workspace != null) {
      memory.free(workspace);
    }
    return String.join("", printed.values());
  }

  private boolean run(Block b) {
    try {
      return b.run();
    } finally {
      // A block that waits for others goes on printing later.
      String text = b.takePrinted();
      if (!text.isEmpty()) {
        printed.merge(b.number(), text, String::concat);
      }
    }
  }

  long blocks() {
    return blocks;
  }

  /** Runs blocks until none is left to start and those begun here have ended. */
  void work() {
    ArrayList<Block> begun = new ArrayList<>();
    ArrayDeque<Block> spinning = new ArrayDeque<>();
    Counts own = counts == null ? null : new Counts();
    try {
      Interleaving order = interleaving;
      while (order != null && failure.get() == null) {
        if (order.beginsNext(begun.size())) {
          Block fresh = begin(own);
          if (fresh != null) {
            begun.add(fresh);
          } else if (begun.isEmpty()) {
            return;
          }
        }
        if (!begun.isEmpty()) {
          Block b = begun.get(order.oneOf(begun.size()));
          if (run(b)) {
            begun.remove(b);
            launch.kernel().blocks().give(b);
          }
        }
      }
      while (failure.get() == null) {
        // A block that only spins may wait for one that has not begun: new ones go first, then the
        // spinning ones in turn.
        Block b = begin(own);
        if (b == null) {
          b = spinning.poll();
        }
        if (b == null) {
          return;
        }
        if (run(b)) {
          launch.kernel().blocks().give(b);
        } else {
          spinning.add(b);
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

  private @Nullable Block begin(@Nullable Counts own) {
    if (next.get() >= blocks) {
      return null;
    }
    long index = next.getAndIncrement();
    if (index >= blocks) {
      return null;
    }
    if (interleaving != null) {
      index = interleaving.place(index, blocks);
    }
    Block b = launch.kernel().blocks().take(launch.kernel().program(), shape, memory);
    b.parameters(launch.parameters());
    b.deadline(deadline);
    b.counts(own);
    b.interleave(interleaving);
    b.start(index, launch.grid().x(), launch.grid().y(), launch.grid().z(), surroundings, watch);
    return b;
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
