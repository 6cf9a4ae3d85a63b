package dev.reprise.softgpu.driver.sanitizer;

import dev.reprise.softgpu.driver.queue.AccessSink;
import dev.reprise.softgpu.driver.queue.CurrentWork;
import dev.reprise.softgpu.driver.queue.Marker;
import dev.reprise.softgpu.driver.queue.Steps;
import dev.reprise.softgpu.driver.queue.Work;
import dev.reprise.softgpu.driver.queue.WorkObserver;
import dev.reprise.softgpu.driver.sanitizer.Access.Kind;
import dev.reprise.softgpu.engine.KernelCode;
import dev.reprise.softgpu.sanitizer.CallStack;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A piece of work of a stream with where it was launched, and what it comes after. */
final class TracedWork implements Work, WorkObserver, AccessSink {

  private final Tracing tracing;
  private final Timeline.Lane lane;
  private final Work work;
  private final List<Marker> after;
  private final CallStack launched;

  /** What it comes after, and itself. */
  private volatile long[] clock;

  /** What the program knew beyond the clock. */
  private volatile SeenNodes seen;

  private final long number;
  private final boolean talks;

  private volatile Work current;
  private volatile int node = -1;
  private BitSet before = new BitSet();
  private @Nullable KernelWatch watch;
  private final List<Long> acquired = new ArrayList<>();
  private final List<Range> allocated = new ArrayList<>();
  private final List<Long> written = new ArrayList<>();

  private record Range(long address, long bytes) {}

  TracedWork(
      Tracing tracing,
      Timeline.Lane lane,
      Work work,
      List<Marker> after,
      long[] clock,
      CallStack launched) {
    this.tracing = tracing;
    this.lane = lane;
    this.work = work;
    this.after = after;
    this.clock = clock;
    this.seen = tracing.timeline().hostNodes();
    this.number = clock.length > lane.index() ? clock[lane.index()] : 0;
    this.launched = launched;
    this.current = work;
    this.talks =
        (work.parts().isEmpty() ? List.of(work) : work.parts())
            .stream().anyMatch(TracedWork::talks);
  }

  private static boolean talks(Work part) {
    boolean[] waits = new boolean[1];
    part.accesses(
        new NoAccesses() {
          @Override
          public void acquire(long address, long bytes) {
            waits[0] = true;
          }
        });
    return waits[0] || part.callsHost();
  }

  /** True when it calls a function of the program, or waits for a value that it may set. */
  boolean talksToProgram() {
    return talks;
  }

  Timeline.Lane lane() {
    return lane;
  }

  long number() {
    return number;
  }

  long[] clock() {
    return clock;
  }

  CallStack launched() {
    return launched;
  }

  /** The operation that runs, or that failed. */
  Work current() {
    return current;
  }

  /** Where the operation that runs was made a node; null outside graphs. */
  @Nullable CallStack captured() {
    return inGraph() ? Origins.of(current) : null;
  }

  /** True while it runs a node of a graph. */
  boolean inGraph() {
    return node >= 0;
  }

  @Override
  public void run() {
    begin();
    try {
      CurrentWork.observed(this, () -> perform(work));
    } finally {
      end();
    }
  }

  private void begin() {
    if (tracing.full()) {
      long[] known = Timeline.join(clock, tracing.timeline().learnt(lane));
      for (Marker marker : after) {
        known = join(known, marker);
      }
      clock = known;
    }
  }

  private void end() {
    if (tracing.full()) {
      if (talks) {
        tracing.talked();
      }
      tracing.timeline().learn(lane, clock);
    }
  }

  @Override
  public @Nullable Steps steps() {
    Steps steps = work.steps();
    return steps == null ? null : new TracedSteps(steps);
  }

  @Override
  public boolean ready() {
    return work.ready();
  }

  @Override
  public boolean mayWait() {
    return work.mayWait();
  }

  @Override
  public boolean callsHost() {
    return work.callsHost();
  }

  /** The pieces of the work, each under the eyes of this. */
  private final class TracedSteps implements Steps {
    private final Steps steps;
    private boolean begun;

    TracedSteps(Steps steps) {
      this.steps = steps;
    }

    @Override
    public int ready() {
      return steps.ready();
    }

    @Override
    public Work piece(int which) {
      return steps.piece(which);
    }

    @Override
    public void run(int which) {
      if (!begun) {
        begun = true;
        begin();
      }
      CurrentWork.observed(TracedWork.this, () -> steps.run(which));
    }

    @Override
    public boolean done() {
      return steps.done();
    }

    @Override
    public void end() {
      steps.end();
      if (begun) {
        TracedWork.this.end();
      }
    }
  }

  private static long[] join(long[] known, Marker marker) {
    return marker instanceof OrderedMarker ordered
        ? Timeline.join(known, ordered.clock().get())
        : known;
  }

  @Override
  public void waited(Marker position) {
    clock = join(clock, position);
  }

  @Override
  public void run(Work part, int number, @Nullable BitSet earlier) {
    if (earlier != null) {
      node = number;
      before = earlier;
    }
    perform(part);
  }

  private void perform(Work part) {
    Work around = current;
    current = part;
    if (tracing.full() && part.parts().isEmpty()) {
      observe(part);
    } else {
      part.run();
    }
    current = around;
  }

  private void observe(Work part) {
    part.accesses(this);
    if (part.callsHost()) {
      tracing.hostSaw(beforeThis());
      if (inGraph()) {
        tracing.timeline().hostSaw(lane, number, before);
      }
      tracing.excuse();
    }
    part.run();
    written.forEach(tracing::written);
    written.clear();
    for (Range range : allocated) {
      tracing.access(access(), Kind.ALLOCATE, range.address(), range.bytes());
    }
    allocated.clear();
    if (part.callsHost()) {
      tracing.excuse();
      clock = Timeline.join(clock, tracing.timeline().host());
      seen = tracing.timeline().hostNodes();
    }
    for (long address : acquired) {
      clock = Timeline.join(clock, tracing.timeline().acquire(address));
      seen = tracing.timeline().hostNodes();
      tracing.excuse();
    }
    acquired.clear();
    KernelWatch seen = watch;
    if (seen != null) {
      watch = null;
      tracing.kernel(access(), seen.touched());
    }
  }

  private long[] beforeThis() {
    long[] known = clock.clone();
    known[lane.index()] = number - 1;
    return known;
  }

  /** What sees the accesses of a kernel that starts now. */
  KernelWatch watch(KernelCode kernel) {
    KernelWatch made = tracing.watch(kernel, launched, captured());
    watch = made;
    return made;
  }

  /** Itself, as an access that is made now. */
  Access access() {
    return new Access(
        lane.index(), number, clock, node, before, seen, current, launched, captured());
  }

  @Override
  public void read(long address, long bytes) {
    tracing.access(access(), Kind.READ, address, bytes);
  }

  @Override
  public void write(long address, long bytes) {
    tracing.access(access(), Kind.WRITE, address, bytes);
    written.add(address);
    tracing.validity().write(address, bytes);
  }

  @Override
  public void copy(long to, long from, long bytes) {
    tracing.compareSources();
    tracing.access(access(), Kind.READ, from, bytes);
    tracing.access(access(), Kind.WRITE, to, bytes);
    written.add(to);
    tracing.validity().copy(to, from, bytes);
  }

  /** Noted when it has been done: before, there is no memory. */
  @Override
  public void allocate(long address, long bytes) {
    allocated.add(new Range(address, bytes));
  }

  @Override
  public void free(long address, long bytes) {
    tracing.access(access(), Kind.FREE, address, bytes);
  }

  @Override
  public void release(long address, long bytes) {
    tracing.access(access(), Kind.SYNC, address, bytes);
    tracing.validity().write(address, bytes);
    tracing.timeline().release(address, clock);
  }

  @Override
  public void acquire(long address, long bytes) {
    tracing.access(access(), Kind.SYNC, address, bytes);
    tracing.waits(this, address, bytes);
    acquired.add(address);
  }

  @Override
  public boolean runsAfterFault() {
    return work.runsAfterFault();
  }

  @Override
  public List<? extends Work> parts() {
    return work.parts();
  }

  @Override
  public String toString() {
    return Words.of(work);
  }
}
