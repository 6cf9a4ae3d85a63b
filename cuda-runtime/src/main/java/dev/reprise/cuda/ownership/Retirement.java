package dev.reprise.cuda.ownership;

import dev.reprise.cuda.diagnostics.CleanupFailure;
import dev.reprise.cuda.diagnostics.Diagnostics;
import dev.reprise.cuda.diagnostics.DiagnosticsListener;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Destroys the objects of one context that nobody refers to, each once the streams that used it are
 * past their last use.
 *
 * <p>What can be destroyed at once is, on the thread that let go of it. The rest waits for events
 * recorded behind the last use, and a library thread waits for these. Nothing is destroyed while a
 * capture is in progress on the device: capture and retirement share one lock.
 */
public final class Retirement {

  private static final Logger LOG = LoggerFactory.getLogger(Retirement.class);

  private final String name;
  private final Diagnostics diagnostics;
  private final ReentrantLock captureLock;
  private final Predicate<RuntimeException> noNews;
  private final Queue<HandleNode> incoming = new ConcurrentLinkedQueue<>();
  private final RetirementThread thread = new RetirementThread(this);
  private final WaitingDestroyer destroyer;

  // Guarded by captureLock.
  private final List<HandleNode> waiting = new ArrayList<>();
  private StreamClock.@Nullable Fence awaited;

  /**
   * A queue for one context.
   *
   * @param captureLock the capture lock of its device, held during every capture and destruction
   * @param noNews failures of cleanup that are not reported
   */
  public Retirement(
      String name,
      Diagnostics diagnostics,
      ReentrantLock captureLock,
      Predicate<RuntimeException> noNews) {
    this.name = name;
    this.diagnostics = diagnostics;
    this.captureLock = captureLock;
    this.noNews = noNews;
    this.destroyer = new WaitingDestroyer(name, this::destroy);
  }

  /** The name of the context, for the library thread. */
  public String name() {
    return name;
  }

  /** Where reports go. */
  public Diagnostics diagnostics() {
    return diagnostics;
  }

  /** Destroys what can be destroyed now, unless a capture is in progress. */
  public void drain() {
    // A thread that holds the lock is capturing, or is in here already by way of a parent.
    if (!CallbackThread.inside() && !captureLock.isHeldByCurrentThread() && captureLock.tryLock()) {
      try {
        settle(false);
      } finally {
        captureLock.unlock();
      }
    }
  }

  /** Whether everything that was let go is destroyed. */
  public boolean isEmpty() {
    captureLock.lock();
    try {
      return incoming.isEmpty() && waiting.isEmpty() && destroyer.isIdle();
    } finally {
      captureLock.unlock();
    }
  }

  void retire(HandleNode node) {
    incoming.add(node);
    drain();
    if (!incoming.isEmpty() || !node.uses().allDone()) {
      thread.signal();
    }
  }

  /** As {@link #retire}, but leaves all driver calls to the library thread. */
  void retireLater(HandleNode node) {
    incoming.add(node);
    thread.signal();
  }

  /** One round of the library thread; false when nothing is left that a later round could do. */
  boolean round() {
    StreamClock.Fence fence;
    captureLock.lock();
    try {
      settle(true);
      fence = oldestFence();
      if (fence == null) {
        return false;
      }
      fence.waiters++;
      awaited = fence;
    } finally {
      captureLock.unlock();
    }
    fence.clock.await(fence);
    captureLock.lock();
    try {
      awaited = null;
      fence.clock.awaited(fence);
    } finally {
      captureLock.unlock();
    }
    return true;
  }

  private StreamClock.@Nullable Fence oldestFence() {
    for (HandleNode node : waiting) {
      for (StreamClock clock : node.uses().pending()) {
        StreamClock.Fence fence = clock.oldestFence();
        if (fence != null) {
          return fence;
        }
      }
    }
    return null;
  }

  private void settle(boolean mayBlock) {
    boolean progress = true;
    while (progress) {
      progress = false;
      for (HandleNode node = incoming.poll(); node != null; node = incoming.poll()) {
        waiting.add(node);
      }
      fenceAndPoll(mayBlock);
      List<HandleNode> idle = new ArrayList<>();
      for (Iterator<HandleNode> i = waiting.iterator(); i.hasNext(); ) {
        HandleNode node = i.next();
        if (node.uses().allDone() && (awaited == null || !node.isContext())) {
          i.remove();
          idle.add(node);
        }
      }
      for (HandleNode node : idle) {
        if (node.destroyMayWait()) {
          destroyer.add(node);
        } else {
          destroy(node);
          progress = true;
        }
      }
    }
  }

  private void fenceAndPoll(boolean mayBlock) {
    for (HandleNode node : waiting) {
      try {
        node.uses().fence(mayBlock);
        node.uses().pending().forEach(StreamClock::poll);
      } catch (RuntimeException e) {
        failed(node, e);
      }
    }
  }

  private void destroy(HandleNode node) {
    try {
      node.destroy();
    } catch (RuntimeException e) {
      failed(node, e);
    }
    LiveCounts.released(node.kind());
    for (HandleNode parent : node.parents()) {
      parent.release();
    }
    if (node.isContext()) {
      thread.stop();
    }
  }

  private void failed(HandleNode node, RuntimeException e) {
    if (!noNews.test(e)) {
      report(listener -> listener.cleanupFailed(new CleanupFailure(node.kind(), node.label(), e)));
    }
  }

  /** Tells the listener, whose own failures are logged. */
  public void report(Consumer<DiagnosticsListener> report) {
    try {
      report.accept(diagnostics.listener());
    } catch (RuntimeException e) {
      LOG.error("The diagnostics listener threw.", e);
    }
  }
}
