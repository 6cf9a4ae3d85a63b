package dev.reprise.softgpu.engine.exec;

import org.jspecify.annotations.Nullable;

/** What is known of the values of a program; found out when it is first asked for. Thread-safe. */
public final class DataFlow {
  private final Op[] code;
  private boolean known;
  private @Nullable Liveness liveness;
  private @Nullable Storage storage;
  private @Nullable Storage unshared;

  /**
   * @param code as it was decoded, without runs
   */
  public DataFlow(Op[] code) {
    this.code = code;
  }

  /** Which values are still wanted; null where it cannot be said. */
  synchronized @Nullable Liveness liveness() {
    if (!known) {
      liveness = Liveness.of(code);
      known = true;
    }
    return liveness;
  }

  /** An array for each register of the program. */
  synchronized Storage unshared(Program program) {
    Storage found = unshared;
    if (found == null) {
      found = Storage.of(null, program);
      unshared = found;
    }
    return found;
  }

  /** Which registers of the program share an array. */
  synchronized Storage storage(Program program) {
    Storage found = storage;
    if (found == null) {
      found = Storage.of(liveness(), program);
      storage = found;
    }
    return found;
  }
}
