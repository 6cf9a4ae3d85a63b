package dev.reprise.cuda;

import dev.reprise.cuda.ownership.CallbackThread;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The context that other CUDA code of the program has made current on its thread. The runtime makes
 * the context of its device current before each call of the driver, closing included, and leaves it
 * so. Code that relies on what was current before is put right by a scope:
 *
 * {@snippet class="dev.reprise.cuda.snippets.SharedThreadTest" region="keep"}
 *
 * <p>A scope costs two calls of the driver, whatever is done in it. Scopes may be nested.
 *
 * <p><b>Threads:</b> platform threads, each with a context of its own; on a virtual thread a scope
 * is refused with an {@link IllegalStateException}. Of what is current on other threads it changes
 * nothing. <b>Capture:</b> allowed during one, and a capture may be made in a scope; refused inside
 * of a {@link HostFunction}. <b>Errors:</b> {@link CudaException} from {@code cuCtxSetCurrent} if
 * the context cannot be made current again, such as one that was destroyed, in the body or before;
 * a suppressed exception if the body throws as well.
 *
 * <p>See CUDA Driver API, "Context Management".
 */
public final class CallerContext {

  private CallerContext() {}

  /**
   * Runs the body, then makes current what was current before, or nothing if nothing was, whether
   * the body throws or not ({@code cuCtxGetCurrent}, {@code cuCtxSetCurrent}).
   *
   * @throws IllegalStateException on a virtual thread, or inside of a host function; the body is
   *     not run
   */
  public static void keep(Runnable body) {
    keepCalling(() -> {
      body.run();
      return null;
    });
  }

  /**
   * As {@link #keep}, for a body with a result, or with checked exceptions.
   *
   * @return what the body returns
   * @throws X if the body does
   */
  public static <T extends @Nullable Object, X extends Throwable> T keepCalling(
      ScopedValue.CallableOp<? extends T, X> body) throws X {
    CallbackThread.refuse("CallerContext.keep");
    if (Thread.currentThread().isVirtual()) {
      throw new IllegalStateException(
          "CallerContext.keep is not possible on a virtual thread: the current context is that of the operating system thread, which a virtual thread may change whenever it blocks. Run it on a platform thread.");
    }
    DeviceCalls.initialise();
    MemorySegment before = ContextCalls.current();
    T result;
    try {
      result = body.call();
    } catch (Throwable e) {
      Cleanup.after(e, () -> ContextCalls.restore(before));
      throw e;
    }
    ContextCalls.restore(before);
    return result;
  }
}
