package dev.reprise.cuda;

import dev.reprise.cuda.diagnostics.CleanupFailure;
import dev.reprise.cuda.diagnostics.ResourceKind;
import dev.reprise.cuda.ownership.Retirement;

/**
 * What becomes of a resource of the program when the driver lets its user object go. It outlives
 * the object that the program closed, since graphs may still hold the driver's.
 *
 * @param label the label of the user object
 * @param resource what is closed
 * @param retirement tells of a failure
 */
record Destructor(String label, AutoCloseable resource, Retirement retirement) {

  /** Closes the resource; throws nothing. */
  @SuppressWarnings("CatchingUnchecked") // it is the program's code, and nobody would see it
  void run() {
    try {
      resource.close();
    } catch (Throwable e) {
      retirement.report(listener ->
          listener.cleanupFailed(new CleanupFailure(ResourceKind.USER_OBJECT, label, e)));
    }
  }
}
