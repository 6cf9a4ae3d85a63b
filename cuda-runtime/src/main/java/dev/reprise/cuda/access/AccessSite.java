package dev.reprise.cuda.access;

import org.jspecify.annotations.Nullable;

/** Where in the program an operation was issued or a node added. */
public final class AccessSite extends Throwable {

  private static final long serialVersionUID = 1L;

  /** The place of the caller. */
  public AccessSite(String message) {
    super(message, null, false, true);
  }

  private AccessSite(String message, @Nullable Throwable cause, StackTraceElement[] stack) {
    super(message, cause, false, true);
    setStackTrace(stack);
  }

  /** The same place, with the place at which the work was added to a graph as the cause. */
  AccessSite with(@Nullable AccessSite added) {
    return added == null
        ? this
        : new AccessSite(String.valueOf(getMessage()), added, getStackTrace());
  }
}
