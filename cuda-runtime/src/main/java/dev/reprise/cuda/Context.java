package dev.reprise.cuda;

import dev.reprise.cuda.access.AccessChecker;
import dev.reprise.cuda.access.Clock;
import dev.reprise.cuda.diagnostics.Diagnostics;
import dev.reprise.cuda.ownership.CallbackThread;
import dev.reprise.cuda.ownership.Retirement;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A retained primary context and what its objects share.
 *
 * <p>The current context belongs to the operating system thread, and a virtual thread may change
 * that whenever it parks. So every driver call follows {@link #makeCurrent} at once, with no lock,
 * no other call into Java code that may block, and no callback between the two.
 */
final class Context {

  private static final ConcurrentHashMap<Integer, ReentrantLock> CAPTURE_LOCKS =
      new ConcurrentHashMap<>();

  private final int ordinal;
  private final MemorySegment handle;
  private final HotCalls hotCalls;
  private final ReentrantLock captureLock;
  private final Retirement retirement;
  private final EventFences fences;
  private final HostRegistrations registrations = new HostRegistrations();
  private final @Nullable AccessChecker checker;

  Context(int ordinal, MemorySegment handle, Diagnostics diagnostics, HotCalls hotCalls) {
    this.ordinal = ordinal;
    this.handle = handle;
    this.hotCalls = hotCalls;
    this.captureLock = CAPTURE_LOCKS.computeIfAbsent(ordinal, device -> new ReentrantLock());
    this.retirement =
        new Retirement("device-" + ordinal, diagnostics, captureLock, Context::isNoNews);
    this.fences = new EventFences(this);
    this.checker =
        diagnostics.accessCheck().enabled()
            ? new AccessChecker(
                ordinal,
                diagnostics.accessCheck(),
                found -> retirement.report(listener -> listener.unorderedAccess(found)))
            : null;
  }

  /** The driver is shutting down with the process; everything is released anyway. */
  private static boolean isNoNews(RuntimeException failure) {
    return failure instanceof CudaException e && e.code() == Failures.DEINITIALIZED;
  }

  /** The driver's {@code CUcontext}. */
  MemorySegment handle() {
    return handle;
  }

  int ordinal() {
    return ordinal;
  }

  HotCalls hotCalls() {
    return hotCalls;
  }

  /** Held during every capture on the device and while anything on it is destroyed. */
  ReentrantLock captureLock() {
    return captureLock;
  }

  Retirement retirement() {
    return retirement;
  }

  /** Looks for unordered uses of memory; null when that is off. */
  @Nullable AccessChecker checker() {
    return checker;
  }

  EventFences fences() {
    return fences;
  }

  /** Host memory that is registered with it. */
  HostRegistrations registrations() {
    return registrations;
  }

  /** Waits for all work on the device. */
  void synchronize() {
    Clock issued = checker == null ? null : checker.everything();
    DeviceCalls.synchronize(this);
    waited(issued);
  }

  /** Notes for the check of accesses that the calling thread has waited for a point. */
  void waited(@Nullable Clock point) {
    if (checker != null && point != null) {
      checker.waited(point);
    }
  }

  /** Makes the context current on the carrier of this thread, for the call that follows. */
  void makeCurrent() {
    CallbackThread.refuse("A call of the driver");
    int code = hotCalls.setCurrent(handle);
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuCtxSetCurrent", "device", ordinal);
    }
  }

  /** Refuses an object of another device. */
  void checkSame(Context other, String kind, String label) {
    if (other.ordinal != ordinal) {
      throw new IllegalArgumentException(
          "%s '%s' belongs to device %d and cannot be used on device %d."
              .formatted(kind, label, other.ordinal, ordinal));
    }
  }
}
