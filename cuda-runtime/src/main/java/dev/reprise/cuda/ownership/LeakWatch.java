package dev.reprise.cuda.ownership;

import java.lang.ref.Cleaner;

/**
 * Notices objects that are collected without having been closed.
 *
 * <p>The cleaner only reports and queues. It makes no driver call: it has no context, and
 * destroying a driver object from it could hit a capture in progress.
 */
final class LeakWatch {

  private static final Cleaner CLEANER = Cleaner.create();

  private LeakWatch() {}

  /** A watch that can be called off. */
  static final class Registration {
    private final Cleaner.Cleanable cleanable;

    Registration(Cleaner.Cleanable cleanable) {
      this.cleanable = cleanable;
    }

    /** Calls the watch off; the node is closed, so that its action does nothing. */
    void cancel() {
      cleanable.clean();
    }
  }

  static Registration watch(Object facade, HandleNode node) {
    return new Registration(CLEANER.register(facade, node::abandoned));
  }
}
