package dev.reprise.softgpu.engine;

import dev.reprise.softgpu.engine.exec.Block;
import dev.reprise.softgpu.engine.exec.LaunchWatch;
import dev.reprise.softgpu.engine.exec.ProgramFault;
import dev.reprise.softgpu.memory.AddressSpace;
import java.util.ArrayDeque;
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
  private final long blocks;
  private final AtomicLong next = new AtomicLong();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

  /** Bit of {@link #helpers} that keeps further helpers out. */
  private static final int CLOSED = 1 << 30;

  private static final int SPINS = 2_000;

  /** How many helpers work on the launch. */
  private final AtomicInteger helpers = new AtomicInteger();

  private final Thread owner = Thread.currentThread();

  private final @Nullable LaunchWatch watch;

  LaunchRun(
      LaunchRequest launch, AddressSpace memory, Execution execution, @Nullable LaunchWatch watch) {
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
            execution.compileAfter());
  }

  long blocks() {
    return blocks;
  }

  /** Runs blocks until none is left to start and those begun here have ended. */
  void work() {
    ArrayDeque<Block> spinning = new ArrayDeque<>();
    try {
      while (failure.get() == null) {
        // A block that only spins may wait for one that has not begun: new ones go first, then the
        // spinning ones in turn.
        Block b = begin();
        if (b == null) {
          b = spinning.poll();
        }
        if (b == null) {
          return;
        }
        if (b.run()) {
          launch.kernel().blocks().give(b);
        } else {
          spinning.add(b);
        }
      }
    } catch (Throwable e) {
      failure.compareAndSet(null, e);
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

  private @Nullable Block begin() {
    if (next.get() >= blocks) {
      return null;
    }
    long index = next.getAndIncrement();
    if (index >= blocks) {
      return null;
    }
    Block b = launch.kernel().blocks().take(launch.kernel().program(), shape, memory);
    b.parameters(launch.parameters());
    b.start(index, launch.grid().x(), launch.grid().y(), launch.grid().z(), watch);
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
