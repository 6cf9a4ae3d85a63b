package dev.reprise.graph.schedule;

/** A request was not taken: nothing of it runs or waits. */
public final class RequestRefusedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** Why a request was not taken. */
  public enum Reason {
    /** As many requests wait as may wait; try again later. */
    QUEUE_FULL,
    /** It could never run here, however long it waited. */
    TOO_LARGE,
    /** It asks for something that is not supported. */
    UNSUPPORTED,
    /** No more requests are taken. */
    CLOSED,
    /** The device failed for good. */
    DEVICE_LOST
  }

  private final Reason reason;

  /** Says why, for a machine and for a person. */
  public RequestRefusedException(Reason reason, String message) {
    super(message);
    this.reason = reason;
  }

  /** Why. */
  public Reason reason() {
    return reason;
  }
}
