package dev.reprise.cuda;

import dev.reprise.cuda.ownership.FenceDriver;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;

/** Fences of one context as driver events, kept for reuse. Guarded by the capture lock. */
final class EventFences implements FenceDriver {

  private final Context context;
  private final ArrayDeque<MemorySegment> pool = new ArrayDeque<>();

  EventFences(Context context) {
    this.context = context;
  }

  @Override
  public MemorySegment record(MemorySegment stream) {
    MemorySegment event = pool.poll();
    try {
      if (event == null) {
        event = EventCalls.create(context, EventOptions.STANDARD);
      }
      EventCalls.record(context, event, stream);
      return event;
    } catch (CudaException e) {
      if (event != null) {
        pool.add(event);
      }
      if (e.contextPoisoned()) {
        // Nothing of this context will run again, so there is nothing to wait for.
        return MemorySegment.NULL;
      }
      throw e;
    }
  }

  @Override
  public boolean passed(MemorySegment event) {
    if (event.address() == 0) {
      return true;
    }
    int code = EventCalls.query(context, event);
    if (code == Failures.NOT_READY) {
      return false;
    }
    checkUnlessLost(code, "cuEventQuery");
    return true;
  }

  @Override
  public void await(MemorySegment event) {
    if (event.address() != 0) {
      checkUnlessLost(EventCalls.synchronize(context, event), "cuEventSynchronize");
    }
  }

  /** A lost context ends every wait; any other failure tells nothing about the work. */
  private static void checkUnlessLost(int code, String function) {
    if (code != Failures.SUCCESS && !Failures.isSticky(code)) {
      throw Failures.of(code, function);
    }
  }

  @Override
  public void recycle(MemorySegment event) {
    if (event.address() != 0) {
      pool.add(event);
    }
  }

  /** Destroys the events that are kept. */
  void destroy() {
    Cleanup.all(
        pool.stream()
            .map(event -> (Cleanup.Step) () -> EventCalls.destroy(context, event))
            .toArray(Cleanup.Step[]::new));
    pool.clear();
  }
}
