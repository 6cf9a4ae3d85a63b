package dev.reprise.cuda;

import dev.reprise.cuda.diagnostics.HostWorkLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The end of host functions before that of the process. The driver calls them on a thread of its
 * own, and a virtual machine that goes down meanwhile may end with a fatal error instead of the
 * status of the program. So a shutdown hook stops streams from being given more of them, waits a
 * while for those that were issued, and turns the entry of the others into one that does nothing.
 */
final class HostFunctionsAtExit {

  /** How long the process waits for host functions that were issued. */
  static final Duration LIMIT = Duration.ofSeconds(5);

  private static final Logger LOG = LoggerFactory.getLogger(HostFunctionsAtExit.class);
  private static final long PAUSE_MILLIS = 1;

  /** Streams that were given host functions, or graphs that have some. */
  private static final Set<StreamHandle> STREAMS = ConcurrentHashMap.newKeySet();

  private static volatile boolean ending;
  private static volatile boolean disabled;

  private HostFunctionsAtExit() {}

  /** Has the end of the process wait; called once, before the first function is issued. */
  static void install() {
    try {
      Runtime.getRuntime()
          .addShutdownHook(new Thread(HostFunctionsAtExit::end, "reprise-host-functions-exit"));
    } catch (IllegalStateException e) {
      // The process is ending already, so that no hook can be added.
      ending = true;
    }
  }

  /**
   * Notes that a stream is about to be given something that calls host functions; its clock's lock
   * is held until that is issued.
   *
   * @throws IllegalStateException if the process is ending
   */
  static void willCall(StreamHandle stream, String what, String label) {
    if (stream.mayCallHost()) {
      STREAMS.add(stream);
    }
    // Either this sees that the process is ending, or the hook sees the stream.
    Stream.orderUseBeforeCheck();
    if (ending) {
      throw new IllegalStateException(
          "%s '%s' is refused on stream '%s': the process is ending, and no host function is begun any more."
              .formatted(what, label, stream.label()));
    }
  }

  /** Forgets a stream, whose work is done. */
  static void destroyed(StreamHandle stream) {
    STREAMS.remove(stream);
  }

  /** Whether host functions are not run any more. */
  static boolean isDisabled() {
    return disabled;
  }

  private static void end() {
    ending = true;
    Stream.orderUseBeforeCheck();
    Set<StreamHandle> left = ConcurrentHashMap.newKeySet();
    // A stream that is not in it any more is destroyed, and its work is done.
    left.addAll(STREAMS);
    // On a thread of its own: a call of the driver may take as long as the work does.
    Thread waiting =
        Thread.ofPlatform()
            .daemon()
            .name("reprise-host-functions-wait")
            .start(() -> awaitAll(left));
    try {
      if (!waiting.join(LIMIT)) {
        disabled = true;
        left.forEach(HostFunctionsAtExit::report);
      }
    } catch (InterruptedException e) {
      LOG.warn("Host functions were not waited for at the end of the process: interrupted.");
    } finally {
      disabled = true;
    }
  }

  /** Takes streams out of the set as their work is done; returns when none is left. */
  private static void awaitAll(Set<StreamHandle> left) {
    // Whatever is being issued on a stream is issued then.
    left.forEach(stream -> stream.clock().issued());
    while (!left.isEmpty() && !disabled) {
      left.removeIf(HostFunctionsAtExit::calledAll);
      try {
        Thread.sleep(PAUSE_MILLIS);
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  private static boolean calledAll(StreamHandle stream) {
    if (stream.clock().isDestroyed()) {
      return true;
    }
    if (!stream.tryRetain()) {
      // It was closed, and is destroyed as soon as its work is done.
      return false;
    }
    try {
      return StreamCalls.calledAll(stream);
    } finally {
      stream.release();
    }
  }

  private static void report(StreamHandle stream) {
    List<String> running = new ArrayList<>();
    HostFunctions.running(stream.context()).forEach(function -> running.add(function.label()));
    HostWorkLeft left = new HostWorkLeft(stream.label(), List.copyOf(running), LIMIT);
    stream.context().retirement().report(listener -> listener.hostWorkLeft(left));
  }
}
