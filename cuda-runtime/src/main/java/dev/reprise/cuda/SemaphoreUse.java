package dev.reprise.cuda;

import dev.reprise.cuda.access.StreamAccess;

/**
 * A signal of an external semaphore, or a wait for it.
 *
 * @param semaphore which one
 * @param value the number of a timeline; 0 for a binary one
 * @param isSignal whether it is a signal
 */
record SemaphoreUse(ExternalSemaphore semaphore, long value, boolean isSignal) {

  /** Stands for the set state of a binary semaphore in the check of accesses. */
  private static final long SET = 1;

  SemaphoreUse {
    if (value < 0 || (value != 0 && semaphore.kind() == ExternalSemaphoreKind.BINARY_FD)) {
      throw new IllegalArgumentException(
          "ExternalSemaphore '%s' of kind %s has no value %d%s."
              .formatted(
                  semaphore.label(),
                  semaphore.kind(),
                  value,
                  value < 0 ? "" : "; it is set or not, so that the value is 0"));
    }
  }

  ExternalSemaphoreHandle handle() {
    return semaphore.handle();
  }

  private long checkedValue() {
    return semaphore.kind() == ExternalSemaphoreKind.BINARY_FD ? SET : value;
  }

  /** Checks that it can be used in a context, and enters it in a ledger. */
  void enter(Context context, CaptureLedger uses) {
    context.checkSame(handle().context(), "ExternalSemaphore", semaphore.label());
    handle().checkOpen();
    uses.retain(semaphore, handle());
    if (context.checker() == null) {
      return;
    }
    if (isSignal) {
      uses.signals(handle().history(), 0, checkedValue());
    } else {
      uses.awaits();
    }
  }

  /** Tells the check of accesses of an operation on a stream. */
  void tell(StreamAccess checked) {
    long wanted = checkedValue();
    if (isSignal) {
      checked.signal(handle().history(), 0, wanted);
    } else {
      checked.await(handle().history(), 0, found -> found >= wanted);
    }
  }
}
