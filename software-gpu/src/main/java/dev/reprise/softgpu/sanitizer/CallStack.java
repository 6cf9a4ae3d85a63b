package dev.reprise.softgpu.sanitizer;

import java.util.List;

/**
 * Where a program called the driver.
 *
 * @param thread the name of the calling thread
 * @param frames of the program, innermost first; those of the driver and its bindings are left out
 */
public record CallStack(String thread, List<StackWalker.StackFrame> frames) {

  private static final int DEPTH = 24;

  /** What stands between the program and the place where a stack is taken. */
  private static final List<String> INTERNAL =
      List.of(
          "dev.reprise.softgpu.driver.",
          "dev.reprise.softgpu.memory.",
          "dev.reprise.softgpu.sanitizer.CallStack",
          "dev.reprise.bindings.",
          "java.lang.invoke.",
          "jdk.internal.");

  /** Copies the frames. */
  public CallStack {
    frames = List.copyOf(frames);
  }

  /** The stack of the calling thread from the call of the driver on outwards. */
  public static CallStack here() {
    List<StackWalker.StackFrame> frames =
        StackWalker.getInstance()
            .walk(all ->
                all.dropWhile(frame -> INTERNAL.stream().anyMatch(frame.getClassName()::startsWith))
                    .limit(DEPTH)
                    .toList());
    return new CallStack(Thread.currentThread().getName(), frames);
  }

  /** The frames, one line each. */
  public List<String> lines() {
    return frames.stream().map(StackWalker.StackFrame::toString).toList();
  }
}
