package dev.reprise.graph.decode;

/** A replayed step did not give what the same step gives when it is run eagerly. */
public final class AuditException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  AuditException(String message) {
    super(message);
  }
}
