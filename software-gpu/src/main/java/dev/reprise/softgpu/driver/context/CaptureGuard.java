package dev.reprise.softgpu.driver.context;

import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.driver.support.Result;
import java.util.ArrayList;
import java.util.List;

/**
 * Refuses calls that captures in progress forbid, and invalidates the captures that they conflict
 * with: the documentation of {@code cuThreadExchangeStreamCaptureMode}, and the CUDA Programming
 * Guide, "Prohibited and Unhandled Operations".
 */
public final class CaptureGuard {

  private final Captures captures;

  public CaptureGuard(Captures captures) {
    this.captures = captures;
  }

  /** Refuses a call that a stream cannot take while it captures, such as destroying it. */
  public void checkNotCapturing(Stream stream, String call) {
    checkNotCapturing(stream, Captures.unsupported(call));
  }

  /** The same, with what the call then answers. */
  public void checkNotCapturing(Stream stream, CudaFailure answer) {
    if (captures.any()) {
      synchronized (captures) {
        Capture capture = stream.capture();
        if (capture != null) {
          capture.invalidate();
          throw answer;
        }
      }
    }
  }

  /** Refuses to wait for, or ask about, a stream that captures. */
  public void checkSynchronize(Stream stream, ThreadState thread) {
    if (captures.any()) {
      synchronized (captures) {
        Capture capture = captures.enter(stream);
        if (capture != null) {
          capture.invalidate();
          throw Captures.unsupported("waiting for " + stream + ", which captures");
        }
        captures.checkUnsafe(thread, "waiting for " + stream);
      }
    }
  }

  /** Refuses to wait for a context of which a stream captures. */
  public void checkSynchronize(Context context, ThreadState thread) {
    if (captures.any()) {
      synchronized (captures) {
        List<Capture> conflicts = capturesOf(context);
        if (!conflicts.isEmpty()) {
          conflicts.forEach(Capture::invalidate);
          throw Captures.unsupported("waiting for a context of which a stream captures");
        }
        captures.checkUnsafe(thread, "waiting for " + context);
      }
    }
  }

  /**
   * Refuses a call that concerns all streams of a context, of which one captures, or an event of a
   * capture in progress.
   */
  public void checkWholeContext(Context context, Event event, String call) {
    if (captures.any()) {
      synchronized (captures) {
        List<Capture> conflicts = capturesOf(context);
        if (event.recording() instanceof Event.InCapture captured && !captured.capture().ended()) {
          conflicts.add(captured.capture());
        }
        if (!conflicts.isEmpty()) {
          conflicts.forEach(Capture::invalidate);
          throw Captures.unsupported(call);
        }
      }
    }
  }

  private List<Capture> capturesOf(Context context) {
    List<Capture> found = new ArrayList<>();
    for (Capture capture : captures.live()) {
      if (capture.members().stream().anyMatch(member -> member.context() == context)) {
        found.add(capture);
      }
    }
    return found;
  }

  /** Refuses to wait for, or ask about, an event recorded in a capture. */
  public void checkSynchronize(Event event, ThreadState thread) {
    if (captures.any() || event.recording() instanceof Event.InCapture) {
      synchronized (captures) {
        if (event.recording() instanceof Event.InCapture captured) {
          Capture capture = captured.capture();
          if (capture.invalidated() && !capture.ended()) {
            throw new CudaFailure(
                Result.STREAM_CAPTURE_INVALIDATED, event + " is of an invalidated capture");
          }
          capture.invalidate();
          throw new CudaFailure(Result.CAPTURED_EVENT, event + " was last recorded in a capture");
        }
        captures.checkUnsafe(thread, "waiting for " + event);
      }
    }
  }

  /**
   * Refuses a call on the legacy stream that waits for its end, such as a synchronous copy, while a
   * blocking stream captures or the thread may make no unsafe calls.
   */
  public void checkSynchronousCall(Stream legacy, ThreadState thread, String call) {
    if (captures.any()) {
      synchronized (captures) {
        Capture capture = captures.enter(legacy);
        if (capture != null) {
          capture.invalidate();
          throw Captures.unsupported(call);
        }
        captures.checkUnsafe(thread, call);
      }
    }
  }

  /** Refuses a potentially unsafe call of a thread that captures in progress forbid it to. */
  public void checkUnsafe(ThreadState thread, String call) {
    if (captures.any()) {
      captures.checkUnsafe(thread, call);
    }
  }
}
