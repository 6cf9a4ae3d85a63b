package dev.reprise.cuda;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The native entry to all host functions: one stub for the life of the process, which finds the
 * function by an id. So nothing is built for each function, and a call that comes late, with the id
 * of a function that is gone, finds nothing instead of freed code.
 */
final class HostFunctions {

  private static final Logger LOG = LoggerFactory.getLogger(HostFunctions.class);

  private static final ConcurrentHashMap<Long, HostFunctionHandle> BY_ID =
      new ConcurrentHashMap<>();
  private static final AtomicLong IDS = new AtomicLong();

  /** The native address, {@code void (*)(void *)}. */
  static final MemorySegment STUB = UserDataStub.to(MethodHandles.lookup(), "call");

  static {
    HostFunctionsAtExit.install();
  }

  private HostFunctions() {}

  static long register(HostFunctionHandle function) {
    long id = IDS.incrementAndGet();
    BY_ID.put(id, function);
    return id;
  }

  static void forget(long id) {
    BY_ID.remove(id);
  }

  static @Nullable HostFunctionHandle find(long id) {
    return BY_ID.get(id);
  }

  /** The functions of a context that are running, by label. */
  static List<HostFunctionHandle> running(Context context) {
    return BY_ID.values().stream()
        .filter(function -> function.context() == context && function.isRunning())
        .sorted(Comparator.comparing(HostFunctionHandle::label))
        .toList();
  }

  @SuppressWarnings("unused") // called through the stub
  private static void call(MemorySegment userData) {
    if (HostFunctionsAtExit.isDisabled()) {
      return;
    }
    try {
      HostFunctionHandle function = BY_ID.get(userData.address());
      if (function == null) {
        LOG.error("The driver called host function {}, which is gone.", userData.address());
      } else {
        function.call();
      }
    } catch (Throwable e) {
      // An exception that leaves an upcall ends the process; logging is all that can be done here.
      LOG.error("Host function {} could not be run.", userData.address(), e);
    }
  }
}
