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
        event = EventCalls.create(context, false);
      }
      EventCalls.record(context, event, stream);
      return event;
    } catch (CudaException e) {
      if (e.contextPoisoned()) {
        // Nothing of this context will run again, so there is nothing to wait for.
        return MemorySegment.NULL;
      }
      throw e;
    }
  }

  @Override
  public boolean passed(MemorySegment event) {
    return event.address() == 0 || EventCalls.query(context, event) != Failures.NOT_READY;
  }

  @Override
  public void await(MemorySegment event) {
    if (event.address() != 0) {
      // A failure means that the context is lost, which ends the wait as well.
      EventCalls.synchronize(context, event);
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
    for (MemorySegment event = pool.poll(); event != null; event = pool.poll()) {
      EventCalls.destroy(context, event);
    }
  }
}
