package dev.reprise.softgpu.driver.sanitizer;

import dev.reprise.softgpu.driver.memory.Block;
import dev.reprise.softgpu.driver.operation.PoolAllocation;
import dev.reprise.softgpu.driver.queue.CurrentWork;
import dev.reprise.softgpu.driver.queue.Marker;
import dev.reprise.softgpu.driver.queue.Work;
import dev.reprise.softgpu.driver.queue.WorkQueue;
import dev.reprise.softgpu.driver.sanitizer.Access.Kind;
import dev.reprise.softgpu.engine.Engine;
import dev.reprise.softgpu.engine.KernelCode;
import dev.reprise.softgpu.memory.AddressSpace;
import dev.reprise.softgpu.memory.Allocation;
import dev.reprise.softgpu.sanitizer.CallStack;
import dev.reprise.softgpu.sanitizer.SanitizerLevel;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Follows the work and the memory of the devices, as far as the level of the sanitizer asks for it:
 * an address belongs to one of them, and a stream of one may wait for a stream of another.
 * Thread-safe.
 */
public final class Tracing {

  /** Memory that holds nothing at first. Other memory is given contents, or is the host's. */
  private static final Set<String> EMPTY_AT_FIRST =
      Set.of("cuMemAlloc", "cuMemAllocAsync", "graph memory");

  private final Findings findings;
  private final boolean stacks;
  private final boolean full;
  private final List<AddressSpace> spaces = new CopyOnWriteArrayList<>();
  private final AllocationLog log;
  private final Timeline timeline = new Timeline();
  private final Validity validity = new Validity();
  private final PinnedSources sources;
  private final DriverReports reports;
  private final AccessHistory history;

  /** How many pieces of work are queued that call the program or wait for it. */
  private final AtomicInteger talking = new AtomicInteger();

  /** Follows no device yet. */
  public Tracing(Findings findings) {
    this.findings = findings;
    this.stacks = findings.options().stacks();
    this.full = findings.options().full();
    this.log = new AllocationLog(this::callStack, new Contents());
    this.reports = new DriverReports(findings, log);
    this.history = new AccessHistory(reports::conflict);
    this.sources = new PinnedSources(this::find, reports::changedSource);
    if (stacks) {
      Origins.keep();
    }
  }

  /** Follows the memory of a device, and the accesses of its kernels, from its start. */
  public void follow(AddressSpace space, Engine engine) {
    spaces.add(space);
    if (findings.options().level() != SanitizerLevel.OFF) {
      space.listen(log);
    }
    if (full) {
      engine.watch(kernel ->
          CurrentWork.observer() instanceof TracedWork traced ? traced.watch(kernel) : null);
    }
  }

  /** The memory at an address that kernels of its device can access, whichever device that is. */
  private @Nullable Allocation find(long address) {
    for (AddressSpace space : spaces) {
      Allocation own = space.own(address);
      if (own != null) {
        return own.open() ? own : null;
      }
    }
    return null;
  }

  /** True when every access is seen, for which kernels must be interpreted by one worker. */
  public boolean full() {
    return full;
  }

  private @Nullable CallStack callStack() {
    if (!stacks) {
      return null;
    }
    return CurrentWork.observer() instanceof TracedWork traced
        ? traced.launched()
        : CallStack.here();
  }

  /** What follows one stream. */
  public StreamTrace stream(WorkQueue queue) {
    return new StreamTrace(queue, timeline.lane());
  }

  /** Submits the work of one stream. Thread-safe. */
  public final class StreamTrace {
    private final WorkQueue queue;
    private final Timeline.Lane lane;

    /** The latest work, where its clock is kept. */
    private @Nullable TracedWork last;

    private StreamTrace(WorkQueue queue, Timeline.Lane lane) {
      this.queue = queue;
      this.lane = lane;
    }

    /** Submits work behind all that was submitted before. */
    public Marker submit(Work work, List<Marker> after) {
      if (!stacks) {
        return queue.submit(work, after);
      }
      if (!full) {
        TracedWork traced =
            new TracedWork(Tracing.this, lane, work, after, new long[0], CallStack.here());
        return queue.submit(traced, after);
      }
      compareSources();
      return submitInOrder(work, after);
    }

    /** The clocks of a stream ascend as its work does, whatever threads submit. */
    private synchronized Marker submitInOrder(Work work, List<Marker> after) {
      TracedWork traced =
          new TracedWork(
              Tracing.this,
              lane,
              work,
              after,
              timeline.submit(lane, clocks(after)),
              CallStack.here());
      last = traced;
      if (work instanceof PoolAllocation allocation) {
        // Known from now on, as its memory is: it may be freed before its place is reached.
        Allocation memory = allocation.block().allocation();
        access(traced.access(), Kind.ALLOCATE, memory.base(), memory.size());
      }
      noteSources(traced, work);
      return new OrderedMarker(queue.submit(traced, after), traced::clock, Tracing.this);
    }

    /** The position behind all that was submitted so far. */
    public synchronized Marker tail() {
      Marker tail = queue.tail();
      TracedWork latest = last;
      return latest == null ? tail : new OrderedMarker(tail, latest::clock, Tracing.this);
    }
  }

  private static List<long[]> clocks(List<Marker> after) {
    List<long[]> clocks = new ArrayList<>();
    for (Marker marker : after) {
      if (marker instanceof OrderedMarker ordered) {
        clocks.add(ordered.clock().get());
      }
    }
    return clocks;
  }

  /**
   * Has the sources of copies watched, unless work is under way that the program may take as a sign
   * that it can write them.
   */
  private void noteSources(TracedWork traced, Work work) {
    List<? extends Work> parts = work.parts().isEmpty() ? List.of(work) : work.parts();
    if (traced.talksToProgram()) {
      talking.incrementAndGet();
    }
    if (talking.get() == 0) {
      parts.forEach(part -> part.accesses(new OnlyCopies(traced, part)));
    }
  }

  /** Work that talks to the program has ended. */
  void talked() {
    talking.decrementAndGet();
  }

  private final class OnlyCopies extends NoAccesses {
    private final TracedWork traced;
    private final Work part;

    OnlyCopies(TracedWork traced, Work part) {
      this.traced = traced;
      this.part = part;
    }

    @Override
    public void copy(long to, long from, long bytes) {
      sources.enqueued(traced, part, from, bytes);
    }
  }

  Timeline timeline() {
    return timeline;
  }

  Validity validity() {
    return validity;
  }

  /** The program learns how far the device has come. */
  void hostSaw(long[] clock) {
    compareSources();
    timeline.hostSaw(clock);
  }

  void excuse() {
    sources.excuse();
  }

  void compareSources() {
    sources.compare(timeline);
  }

  KernelWatch watch(KernelCode kernel, CallStack launched, @Nullable CallStack captured) {
    return new KernelWatch(
        new KernelReports(findings, log, kernel, Stacks.of(launched, captured)),
        validity,
        sources::excuse);
  }

  /** What the operation may have written has been written. */
  void written(long address) {
    sources.written(address);
  }

  /** An operation accesses bytes. What the driver was not told about is not followed. */
  void access(Access access, Kind kind, long address, long bytes) {
    if (bytes <= 0 || find(address) == null) {
      return;
    }
    if (kind == Kind.WRITE) {
      sources.written(address);
    }
    synchronized (history) {
      history.add(access, kind, address, address + bytes);
    }
  }

  /** An operation is about to read a number until it has a value. */
  void waits(TracedWork traced, long address, long bytes) {
    if (validity.firstUnwritten(address, bytes) >= 0) {
      reports.uninitialised(traced, address, bytes);
    }
  }

  /** A kernel has run. */
  void kernel(Access access, Touched touched) {
    touched.forEach((kind, start, end) -> {
      if (kind != Kind.READ) {
        sources.written(start);
      }
      synchronized (history) {
        history.add(access, kind, start, end);
      }
    });
  }

  /** A piece of work has failed in a context. */
  public void fault(Work work, Throwable fault) {
    reports.fault(work, fault);
  }

  /** A context goes away with memory that lives. */
  public void leaked(Collection<Block> blocks) {
    blocks.forEach(block -> reports.leaked(block.allocation()));
  }

  /** Keeps what is known of contents and accesses in step with the allocations. */
  private final class Contents implements AddressSpace.Listener {
    @Override
    public void allocated(Allocation allocation) {
      if (full && EMPTY_AT_FIRST.contains(allocation.what())) {
        validity.track(allocation.base(), allocation.size());
      }
    }

    @Override
    public void freed(Allocation allocation) {
      if (full) {
        validity.forget(allocation.base());
        sources.forget(allocation.base());
        synchronized (history) {
          history.forget(allocation.base(), allocation.base() + allocation.size());
        }
      }
    }
  }
}
