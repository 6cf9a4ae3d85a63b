package dev.reprise.softgpu.driver.context;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * What the driver had to say about calls that failed ("Error Log Management Functions"). It keeps
 * the latest messages, and hands each to who asked for that. Thread-safe.
 */
public final class ErrorLog {

  /** The bytes of the messages that are kept, as the driver manual has it. */
  public static final int MOST_BYTES = 25_600;

  private record Message(int number, String text, int bytes) {}

  /**
   * Messages of the log.
   *
   * @param complete false when earlier ones, which were asked for, are lost
   * @param next the number of the message that comes next
   */
  public record Extract(List<String> messages, boolean complete, int next) {}

  private final Deque<Message> messages = new ArrayDeque<>();
  private final List<Consumer<String>> listeners = new CopyOnWriteArrayList<>();
  private final ThreadLocal<Boolean> telling = ThreadLocal.withInitial(() -> false);
  private int bytes;
  private int next;

  ErrorLog() {}

  /** Adds a message of one line. What a listener makes fail is not logged. */
  public void add(String text) {
    if (telling.get()) {
      return;
    }
    keep(text);
    telling.set(true);
    try {
      listeners.forEach(listener -> listener.accept(text));
    } finally {
      telling.set(false);
    }
  }

  private synchronized void keep(String text) {
    Message message = new Message(next++, text, text.getBytes(StandardCharsets.UTF_8).length + 1);
    messages.add(message);
    bytes += message.bytes();
    while (bytes > MOST_BYTES) {
      bytes -= messages.remove().bytes();
    }
  }

  /** The number of the message that comes next. */
  public synchronized int next() {
    return next;
  }

  /** The messages from a number on, as far as they are kept; numbers go on from zero. */
  public synchronized Extract from(int number) {
    List<String> texts = new ArrayList<>();
    int first = next;
    for (Message message : messages) {
      if (message.number() - number >= 0) {
        first = texts.isEmpty() ? message.number() : first;
        texts.add(message.text());
      }
    }
    return new Extract(texts, first - number <= 0 || number == next, next);
  }

  /** All messages that are kept. */
  public synchronized Extract all() {
    return from(0);
  }

  /** Hands every later message to a listener, on the thread whose call failed. */
  public void listen(Consumer<String> listener) {
    listeners.add(listener);
  }

  /** Ends {@link #listen}. */
  public void stop(Consumer<String> listener) {
    listeners.remove(listener);
  }
}
