package dev.reprise.cuda.ownership;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Marks threads that are inside a function called by the driver, where CUDA allows no driver call:
 * one that waits for work behind the function would wait for itself.
 */
public final class CallbackThread {

  private static final ThreadLocal<@Nullable String> INSIDE = new ThreadLocal<>();

  /** Threads inside; while it is 0, which is nearly always, nobody need look at the thread. */
  private static final AtomicInteger RUNNING = new AtomicInteger();

  private CallbackThread() {}

  /** Runs a function as the driver's callback of this name. */
  public static void run(String name, Runnable function) {
    RUNNING.incrementAndGet();
    String outer = INSIDE.get();
    INSIDE.set(name);
    try {
      function.run();
    } finally {
      INSIDE.set(outer);
      RUNNING.decrementAndGet();
    }
  }

  /** Whether this thread is inside such a function. */
  public static boolean inside() {
    return RUNNING.get() != 0 && INSIDE.get() != null;
  }

  /** Refuses a call on a thread that is inside such a function. */
  public static void refuse(String call) {
    if (inside()) {
      throw new IllegalStateException(
          "%s is not allowed inside %s: the driver is waiting for the function to return. Hand the work to another thread."
              .formatted(call, INSIDE.get()));
    }
  }
}
