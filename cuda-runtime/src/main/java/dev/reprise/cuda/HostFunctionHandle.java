package dev.reprise.cuda;

import dev.reprise.cuda.access.Clock;
import dev.reprise.cuda.diagnostics.HostFunctionFailure;
import dev.reprise.cuda.diagnostics.ResourceKind;
import dev.reprise.cuda.ownership.CallbackThread;
import dev.reprise.cuda.ownership.HandleNode;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A Java function as the driver knows it: the address of the one stub, and an id. */
final class HostFunctionHandle extends HandleNode {

  private final Context context;
  private final HostFunction function;
  private final long id;

  /** Calls that have begun and not returned; with a stream each, there may be several. */
  private final AtomicInteger running = new AtomicInteger();

  /** What precedes its calls, while accesses are checked. */
  private volatile @Nullable Clock before;

  HostFunctionHandle(String label, DeviceHandle device, HostFunction function) {
    super(ResourceKind.HOST_FUNCTION, label, device.context().retirement(), List.of(device));
    this.context = device.context();
    this.function = function;
    this.id = HostFunctions.register(this);
  }

  static HostFunctionHandle of(String label, DeviceHandle device, HostFunction function) {
    return HandleNode.under(device, () -> new HostFunctionHandle(label, device, function));
  }

  Context context() {
    return context;
  }

  HostFunction function() {
    return function;
  }

  @Nullable Clock before() {
    return before;
  }

  /** Notes that the calls to come are behind a point. */
  void runsAfter(Clock point) {
    before = point;
  }

  /** What the driver is to pass to {@link HostFunctions#STUB}. */
  MemorySegment userData() {
    return MemorySegment.ofAddress(id);
  }

  /** Runs the function on a thread of the driver; throws nothing. */
  void call() {
    running.incrementAndGet();
    try {
      CallbackThread.run("host function '" + label() + "'", this::callInside);
    } finally {
      running.decrementAndGet();
    }
  }

  /** Whether a call has begun and not returned. */
  boolean isRunning() {
    return running.get() != 0;
  }

  @SuppressWarnings("CatchingUnchecked") // an exception that leaves an upcall ends the process
  private void callInside() {
    try {
      // The program may learn from the function that the work is done.
      Clock point = before;
      context.waited(point);
      if (point != null && function instanceof HandOff handOff) {
        // The thread of the task may learn the same.
        handOff.behind(() -> context.waited(point)).run();
      } else {
        function.run();
      }
    } catch (Throwable e) {
      report(listener -> listener.hostFunctionFailed(new HostFunctionFailure(label(), e)));
    }
  }

  /** No driver object; from here on the id means nothing. */
  @Override
  protected void destroy() {
    HostFunctions.forget(id);
  }
}
