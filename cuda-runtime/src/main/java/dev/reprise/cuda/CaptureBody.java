package dev.reprise.cuda;

/** The work that {@link Stream#capture} records instead of running. */
@FunctionalInterface
public interface CaptureBody {

  /**
   * Issues the work to be captured, on the captured stream and on streams forked from it.
   *
   * <p>Runs once, on the thread that called {@link Stream#capture}. Whatever it throws ends the
   * capture and is thrown by {@link Stream#capture}.
   *
   * @param capture forks and joins streams; valid only during the call
   */
  void run(Capture capture);
}
