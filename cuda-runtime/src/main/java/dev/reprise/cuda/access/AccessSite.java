package dev.reprise.cuda.access;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Where in the program an operation was issued or a node added. */
public final class AccessSite extends Throwable {

  private static final long serialVersionUID = 1L;

  /** The classes of the runtime that operations pass through. */
  private static final Pattern RUNTIME =
      Pattern.compile(
          "dev\\.reprise\\.cuda\\.((access|ownership)\\.\\w+|Capture|CaptureLedger|CopyOperation|FillOperation|Graph|GraphConstruction|GraphExec|\\w+Node|AutomaticUses|KernelUse|PreparedLaunch|ReplayAccess|SemaphoreUse|Stream|StreamMemory|StreamMemoryOperations|StreamPeers|StreamReplays|StreamValues)");

  /** The place of the caller. */
  public AccessSite(String message) {
    super(message, null, false, true);
  }

  private AccessSite(String message, @Nullable Throwable cause, StackTraceElement[] stack) {
    super(message, cause, false, true);
    setStackTrace(stack);
  }

  /**
   * The same place to be shown: from the method that the program called on, with the place at which
   * the work was added to a graph as the cause.
   */
  AccessSite shown(@Nullable AccessSite added) {
    AccessSite cause = added == null ? null : added.shown(null);
    return new AccessSite(String.valueOf(getMessage()), cause, called(getStackTrace()));
  }

  /** A stack with one frame, the one that the program called, for each way through the runtime. */
  private static StackTraceElement[] called(StackTraceElement[] stack) {
    List<StackTraceElement> shown = new ArrayList<>();
    for (int i = 0; i < stack.length; i++) {
      boolean goesOn = i + 1 < stack.length && isRuntime(stack[i + 1]);
      if (!goesOn || (i > 0 && !isRuntime(stack[i]))) {
        shown.add(stack[i]);
      }
    }
    return shown.toArray(StackTraceElement[]::new);
  }

  private static boolean isRuntime(StackTraceElement frame) {
    return RUNTIME.matcher(frame.getClassName()).matches();
  }
}
