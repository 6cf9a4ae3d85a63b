package dev.reprise.cuda;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The native entry to all destructors of user objects: one stub for the life of the process, which
 * finds the destructor by an id and hands it to a thread of the library. The driver may call it on
 * any thread, with locks of its own held, and forbids every call of CUDA there; so nothing of the
 * program runs in it.
 */
final class Destructors {

  private static final Logger LOG = LoggerFactory.getLogger(Destructors.class);

  private static final ConcurrentHashMap<Long, Destructor> BY_ID = new ConcurrentHashMap<>();
  private static final AtomicLong IDS = new AtomicLong();
  private static final ThreadPoolExecutor THREAD = thread();

  /** The native address, {@code void (*)(void *)}. */
  static final MemorySegment STUB = UserDataStub.to(MethodHandles.lookup(), "call");

  private Destructors() {}

  /** One thread, while there is something to do. */
  private static ThreadPoolExecutor thread() {
    ThreadPoolExecutor executor =
        new ThreadPoolExecutor(
            1,
            1,
            5,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              Thread thread = new Thread(task, "reprise-user-objects");
              thread.setDaemon(true);
              return thread;
            });
    executor.allowCoreThreadTimeOut(true);
    return executor;
  }

  static long register(Destructor destructor) {
    long id = IDS.incrementAndGet();
    BY_ID.put(id, destructor);
    return id;
  }

  static void forget(long id) {
    BY_ID.remove(id);
  }

  @SuppressWarnings("unused") // called through the stub
  private static void call(MemorySegment userData) {
    try {
      Destructor destructor = BY_ID.remove(userData.address());
      if (destructor == null) {
        LOG.error("The driver let go of user object {}, which is gone.", userData.address());
      } else {
        THREAD.execute(destructor::run);
      }
    } catch (Throwable e) {
      // An exception that leaves an upcall ends the process; logging is all that can be done here.
      LOG.error("The destructor of user object {} could not be run.", userData.address(), e);
    }
  }
}
