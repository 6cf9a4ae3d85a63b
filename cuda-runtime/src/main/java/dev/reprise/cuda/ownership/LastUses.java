package dev.reprise.cuda.ownership;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The last operation on each stream that used an object.
 *
 * <p>Marking a stream again allocates nothing. Marks of one stream are made under its clock's lock.
 */
final class LastUses {

  private static final VarHandle TICKET;

  static {
    try {
      TICKET = MethodHandles.lookup().findVarHandle(Use.class, "ticket", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private static final class Use {
    final StreamClock clock;

    @SuppressWarnings("unused") // read and written through TICKET
    long ticket;

    Use(StreamClock clock, long ticket) {
      this.clock = clock;
      this.ticket = ticket;
    }

    long ticket() {
      return (long) TICKET.getOpaque(this);
    }
  }

  private static final Use[] NONE = {};

  private volatile Use[] uses = NONE;

  /** Uses in this order need not be waited for. */
  private @Nullable StreamClock ordered;

  /** Leaves out the uses of a stream in whose order the object is destroyed. Called once. */
  void destroyedInOrderOf(StreamClock clock) {
    ordered = clock;
  }

  private boolean isDone(Use use) {
    return use.clock == ordered || use.clock.isDone(use.ticket());
  }

  void mark(StreamClock clock, long ticket) {
    for (Use use : uses) {
      if (use.clock == clock) {
        TICKET.setOpaque(use, ticket);
        return;
      }
    }
    add(clock, ticket);
  }

  private synchronized void add(StreamClock clock, long ticket) {
    List<Use> next = new ArrayList<>();
    for (Use use : uses) {
      if (!use.clock.isDestroyed()) {
        next.add(use);
      }
    }
    next.add(new Use(clock, ticket));
    uses = next.toArray(NONE);
  }

  /** Adds these uses to those of another object, keeping the later of each stream. */
  void copyTo(LastUses other) {
    for (Use use : uses) {
      use.clock.lock();
      try {
        if (other.ticket(use.clock) < use.ticket()) {
          other.mark(use.clock, use.ticket());
        }
      } finally {
        use.clock.unlock();
      }
    }
  }

  private long ticket(StreamClock clock) {
    for (Use use : uses) {
      if (use.clock == clock) {
        return use.ticket();
      }
    }
    return 0;
  }

  boolean allDone() {
    for (Use use : uses) {
      if (!isDone(use)) {
        return false;
      }
    }
    return true;
  }

  /** Has every stream that may still be at it covered by a fence, as far as it need not block. */
  void fence(boolean mayBlock) {
    for (Use use : uses) {
      if (!isDone(use)) {
        use.clock.fence(use.ticket(), mayBlock);
      }
    }
  }

  /** The clocks that are not past the last use. */
  List<StreamClock> pending() {
    List<StreamClock> pending = new ArrayList<>();
    for (Use use : uses) {
      if (!isDone(use)) {
        pending.add(use.clock);
      }
    }
    return pending;
  }
}
