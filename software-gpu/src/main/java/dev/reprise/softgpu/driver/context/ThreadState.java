package dev.reprise.softgpu.driver.context;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the driver remembers of one thread: the stack of current contexts, the capture mode, and the
 * thread's default stream in each context. Used by that thread only.
 */
public final class ThreadState {

  private final Deque<Context> contexts = new ArrayDeque<>();
  private final Map<Context, Stream> defaultStreams = new HashMap<>();
  private CaptureMode captureMode = CaptureMode.GLOBAL;
  private boolean nullStreamIsOwn;

  /** The current context, or null. */
  public @Nullable Context current() {
    return contexts.peek();
  }

  /** Makes a context current on top of the stack. */
  public void push(Context context) {
    contexts.push(context);
  }

  /** Takes the current context off the stack; null when there is none. */
  public @Nullable Context pop() {
    return contexts.poll();
  }

  /** Replaces the top of the stack; null takes it off. */
  public void replace(@Nullable Context context) {
    contexts.poll();
    if (context != null) {
      contexts.push(context);
    }
  }

  /** How calls of this thread treat captures. */
  public CaptureMode captureMode() {
    return captureMode;
  }

  public void captureMode(CaptureMode mode) {
    captureMode = mode;
  }

  /** True while a call is made that means the thread's own stream by none. */
  public boolean nullStreamIsOwn() {
    return nullStreamIsOwn;
  }

  void nullStreamIsOwn(boolean own) {
    nullStreamIsOwn = own;
  }

  /** The default stream of this thread ({@code CU_STREAM_PER_THREAD}). */
  public Stream defaultStream(Context context) {
    Stream stream = defaultStreams.get(context);
    if (stream == null) {
      defaultStreams.keySet().removeIf(Context::destroyed);
      stream = context.createThreadStream();
      defaultStreams.put(context, stream);
    }
    return stream;
  }
}
