package dev.reprise.graph.decode;

import java.util.List;

/** A replay gave something else than the same step run eagerly. */
public final class AuditException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  private static final int MOST_LINES = 8;

  AuditException(String message) {
    super(message);
  }

  /** The same with the nodes in which the graph differs from a capture made now. */
  AuditException with(List<String> differences) {
    String nodes =
        differences.isEmpty()
            ? " A capture made now has the same nodes."
            : " Nodes of the graph (-) and of a capture made now (+):\n"
                + String.join(
                    "\n", differences.subList(0, Math.min(MOST_LINES, differences.size())));
    AuditException more = new AuditException(getMessage() + nodes);
    more.setStackTrace(getStackTrace());
    return more;
  }
}
