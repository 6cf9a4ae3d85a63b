package dev.reprise.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.reprise.bindings.cuda.cuda_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Lets this thread make calls that the captures of other threads would forbid, until it is closed
 * ({@code cuThreadExchangeStreamCaptureMode}): calls of the library's own on objects that no
 * capture knows. On one platform thread.
 */
final class RelaxedCaptureCalls implements AutoCloseable {

  private final Arena arena = Arena.ofConfined();
  private final MemorySegment mode = arena.allocate(JAVA_INT);

  private RelaxedCaptureCalls() {}

  static RelaxedCaptureCalls enter() {
    RelaxedCaptureCalls entered = new RelaxedCaptureCalls();
    entered.mode.set(JAVA_INT, 0, cuda_h.CU_STREAM_CAPTURE_MODE_RELAXED());
    try {
      entered.exchange();
    } catch (RuntimeException e) {
      entered.arena.close();
      throw e;
    }
    return entered;
  }

  private void exchange() {
    int code = cuda_h.cuThreadExchangeStreamCaptureMode(mode);
    if (code != Failures.SUCCESS) {
      throw Failures.of(code, "cuThreadExchangeStreamCaptureMode");
    }
  }

  @Override
  public void close() {
    try {
      exchange();
    } finally {
      arena.close();
    }
  }
}
