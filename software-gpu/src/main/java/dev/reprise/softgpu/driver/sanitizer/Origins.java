package dev.reprise.softgpu.driver.sanitizer;

import dev.reprise.softgpu.driver.queue.Work;
import dev.reprise.softgpu.sanitizer.CallStack;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Where the operations of graph nodes were made, by their identity. Thread-safe. */
public final class Origins {

  private static final Map<Key, CallStack> STACKS = new ConcurrentHashMap<>();
  private static final ReferenceQueue<Work> GONE = new ReferenceQueue<>();
  private static volatile boolean kept;

  private static final class Key extends WeakReference<Work> {
    private final int hash;

    Key(Work work, @Nullable ReferenceQueue<Work> queue) {
      super(work, queue);
      hash = System.identityHashCode(work);
    }

    @Override
    public int hashCode() {
      return hash;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      if (this == other) {
        return true;
      }
      Work work = get();
      return work != null && other instanceof Key key && key.refersTo(work);
    }
  }

  private Origins() {}

  static void keep() {
    kept = true;
  }

  /** Takes note that the calling thread makes a node of an operation. */
  public static void note(Work operation) {
    if (!kept) {
      return;
    }
    for (Object gone = GONE.poll(); gone != null; gone = GONE.poll()) {
      STACKS.remove(gone);
    }
    STACKS.putIfAbsent(new Key(operation, GONE), CallStack.here());
  }

  static @Nullable CallStack of(Work operation) {
    return STACKS.get(new Key(operation, null));
  }
}
