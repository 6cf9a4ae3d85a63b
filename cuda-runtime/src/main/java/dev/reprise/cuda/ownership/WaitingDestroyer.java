package dev.reprise.cuda.ownership;

import java.util.ArrayDeque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Destroys objects whose destruction may wait for unrelated work of the device, one after the other
 * on a thread of its own without the capture lock. The thread ends when there is nothing to do.
 */
final class WaitingDestroyer {

  private final String name;
  private final Consumer<HandleNode> destroy;
  private final ArrayDeque<HandleNode> nodes = new ArrayDeque<>();
  private boolean running;

  WaitingDestroyer(String name, Consumer<HandleNode> destroy) {
    this.name = name;
    this.destroy = destroy;
  }

  synchronized void add(HandleNode node) {
    nodes.add(node);
    if (!running) {
      running = true;
      Thread.ofPlatform().daemon().name("reprise-destroyer-" + name).start(this::run);
    }
  }

  /** Whether nothing is left, nor being destroyed. */
  synchronized boolean isIdle() {
    return !running;
  }

  private void run() {
    for (HandleNode node = next(); node != null; node = next()) {
      destroy.accept(node);
    }
  }

  private synchronized @Nullable HandleNode next() {
    HandleNode node = nodes.poll();
    running = node != null;
    return node;
  }
}
