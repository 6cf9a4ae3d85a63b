package dev.reprise.softgpu.driver.context;

import dev.reprise.softgpu.driver.memory.Block;
import dev.reprise.softgpu.driver.memory.DeviceMemory;
import dev.reprise.softgpu.driver.memory.MemoryPool;
import dev.reprise.softgpu.driver.queue.AccessSink;
import dev.reprise.softgpu.driver.queue.Marker;
import dev.reprise.softgpu.driver.queue.Work;
import dev.reprise.softgpu.driver.support.CudaFailure;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The stream-ordered frees of a device that are queued and have not run. Their room can be given to
 * an allocation that comes behind them before they run: CUDA Driver API, "Stream Ordered Memory
 * Allocator", the attributes of pools about reuse. Thread-safe.
 */
public final class QueuedFrees {

  private final DeviceMemory memory;
  private final Map<Block, Free> queued = new LinkedHashMap<>();

  QueuedFrees(DeviceMemory memory) {
    this.memory = memory;
  }

  /** One of them. */
  public final class Free implements Work {
    private final Block block;
    private final MemoryPool pool;
    private final Stream stream;
    private Marker end = Marker.PASSED;
    private boolean counted;

    private Free(Block block, MemoryPool pool, Stream stream) {
      this.block = block;
      this.pool = pool;
      this.stream = stream;
    }

    @Override
    public void accesses(AccessSink sink) {
      sink.free(block.allocation().base(), block.allocation().size());
    }

    @Override
    public void run() {
      if (memory.free(block)) {
        count();
      }
      // Last, so that whoever finds no free under way finds its memory counted as free.
      forget(block);
    }

    @Override
    public boolean runsAfterFault() {
      return true;
    }

    /** Counts the memory as free, once. */
    private synchronized void count() {
      if (!counted) {
        counted = true;
        pool.freed(block.allocation().size());
        memory.space().discount(block.allocation());
      }
    }

    /** The pool whose memory it frees. */
    public MemoryPool pool() {
      return pool;
    }

    /**
     * Gives the room to an allocation that is about to be made on a stream. Another stream waits
     * for the free from now on; where the pool forbids that dependency, the caller does.
     */
    public void lendTo(Stream borrower) {
      if (borrower != stream && !end.complete()) {
        if (pool.reuseAllowInternalDependencies() != 0) {
          borrower.submit(() -> {}, List.of(end));
        } else {
          end.await();
        }
      }
      count();
    }
  }

  /** Queues a free; {@code CUDA_ERROR_INVALID_VALUE} when there is one for the block already. */
  public synchronized void submit(Block block, MemoryPool pool, Stream stream) {
    if (queued.containsKey(block)) {
      throw CudaFailure.invalidValue(
          "0x%x is being freed already".formatted(block.allocation().base()));
    }
    Free free = new Free(block, pool, stream);
    // It cannot be forgotten before it is known: forgetting takes the lock that is held here.
    free.end = stream.submit(free, List.of());
    queued.put(block, free);
  }

  private synchronized void forget(Block block) {
    queued.remove(block);
  }

  /** Those that are queued now, the ones of a stream before those of others. */
  public synchronized List<Free> startingWith(Stream stream) {
    List<Free> own = new ArrayList<>();
    List<Free> others = new ArrayList<>();
    for (Free free : queued.values()) {
      (free.stream == stream ? own : others).add(free);
    }
    own.addAll(others);
    return own;
  }
}
