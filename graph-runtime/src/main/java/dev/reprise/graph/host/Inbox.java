package dev.reprise.graph.host;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** What other threads want of the thread that runs the device. */
final class Inbox {

  private final Deque<Runnable> commands = new ArrayDeque<>();
  private boolean closed;

  /** Looked at between steps without a lock. */
  private volatile boolean filled;

  /**
   * Hands a command over.
   *
   * @return false if no more are taken; the command will not run
   */
  synchronized boolean put(Runnable command) {
    if (closed) {
      return false;
    }
    commands.addLast(command);
    filled = true;
    notifyAll();
    return true;
  }

  /** The next command, or null; allocates nothing. */
  @Nullable Runnable poll() {
    return filled ? take() : null;
  }

  private synchronized @Nullable Runnable take() {
    Runnable command = commands.pollFirst();
    filled = !commands.isEmpty();
    return command;
  }

  /** Waits until there is a command. */
  synchronized void await() {
    boolean interrupted = false;
    while (commands.isEmpty()) {
      try {
        wait();
      } catch (InterruptedException e) {
        // The thread is the host's own; it ends by a command.
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Takes no more commands; those that were taken still run. */
  synchronized void close() {
    closed = true;
  }
}
