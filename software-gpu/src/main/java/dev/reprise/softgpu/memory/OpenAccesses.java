package dev.reprise.softgpu.memory;

import java.util.ArrayDeque;
import java.util.TreeSet;

/**
 * The accesses to memory that are under way, and the native memory that waits for them: what is
 * freed stays in place until every access has ended that began before. The devices of one GPU share
 * one, since each may access the memory of the others. Thread-safe.
 */
public final class OpenAccesses {

  private record Retired(long beforeAccess, long block) {}

  private long next = 1;
  private final TreeSet<Long> open = new TreeSet<>();
  private final ArrayDeque<Retired> retired = new ArrayDeque<>();

  /** None yet. */
  public OpenAccesses() {}

  synchronized long begin() {
    long ticket = next++;
    open.add(ticket);
    return ticket;
  }

  synchronized void end(long ticket) {
    if (!open.remove(ticket)) {
      throw new IllegalArgumentException("no access with ticket " + ticket + " is open");
    }
    release();
  }

  /** Frees native memory once the accesses that have begun so far have ended. */
  synchronized void retire(long block) {
    retired.add(new Retired(next, block));
    release();
  }

  synchronized int count() {
    return open.size();
  }

  private void release() {
    long oldest = open.isEmpty() ? Long.MAX_VALUE : open.first();
    while (!retired.isEmpty() && retired.element().beforeAccess <= oldest) {
      NativeHeap.free(retired.remove().block());
    }
  }
}
