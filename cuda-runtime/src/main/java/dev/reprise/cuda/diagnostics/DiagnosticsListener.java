package dev.reprise.cuda.diagnostics;

/**
 * Receives what cannot be thrown to anyone.
 *
 * <p>Called from the closing thread, from the garbage collector's cleaner thread or from a library
 * thread; it must be quick, must not call into the runtime, and must not throw.
 */
public interface DiagnosticsListener {

  /** An object was collected unclosed. */
  void leaked(Leak leak);

  /**
   * An object is open when the process ends; called from a shutdown hook, once for each, only where
   * creation sites are kept. Logged as a warning if it is not overridden.
   */
  default void openAtExit(Leak open) {
    LoggingListener.INSTANCE.openAtExit(open);
  }

  /** A driver object could not be released. */
  void cleanupFailed(CleanupFailure failure);

  /** A host function threw; called on the driver's thread that ran it. */
  void hostFunctionFailed(HostFunctionFailure failure);

  /**
   * The process ends before a stream is done with its host functions; called from a shutdown hook.
   * Logged as a warning if it is not overridden.
   */
  default void hostWorkLeft(HostWorkLeft left) {
    LoggingListener.INSTANCE.hostWorkLeft(left);
  }

  /**
   * Two uses of memory are not ordered; called from the thread that issues the second. Logged as a
   * warning if it is not overridden.
   */
  default void unorderedAccess(UnorderedAccess found) {
    LoggingListener.INSTANCE.unorderedAccess(found);
  }
}
