package dev.reprise.cuda;

import org.jspecify.annotations.Nullable;

/**
 * Whether an executable graph took over another graph, and if not, why not.
 *
 * @param reason the driver's verdict
 * @param node the node of the new graph that does not fit, if there is one
 * @param from for an edge that does not fit, the node that it comes from
 */
public record GraphUpdateResult(Reason reason, @Nullable GraphNode node, @Nullable GraphNode from) {

  /** Verdicts of {@code cuGraphExecUpdate}, see {@code CUgraphExecUpdateResult}. */
  public enum Reason {
    /** It took the graph over. */
    SUCCESS(0, "it was updated"),
    /** The driver failed for a reason of its own. */
    ERROR(1, "the driver failed"),
    /** Nodes or edges differ, or were made in another order. */
    TOPOLOGY_CHANGED(2, "its nodes or edges differ, or were made in another order"),
    /** A node is of another kind. */
    NODE_TYPE_CHANGED(3, "a node is of another kind"),
    /** A kernel node has a function that cannot be exchanged. */
    FUNCTION_CHANGED(4, "a kernel cannot be exchanged"),
    /** A parameter changed that may not. */
    PARAMETERS_CHANGED(5, "a parameter changed that may not"),
    /** A node has something that cannot be updated. */
    NOT_SUPPORTED(6, "something about a node cannot be updated"),
    /** A kernel node has a function that cannot take the other's place. */
    UNSUPPORTED_FUNCTION_CHANGE(7, "a kernel cannot take the place of the other"),
    /** An attribute of a node changed. */
    ATTRIBUTES_CHANGED(8, "an attribute of a node changed"),
    /** A verdict that this version of the library does not know. */
    UNKNOWN(-1, "for a reason that this library does not know");

    private final int code;
    private final String text;

    Reason(int code, String text) {
      this.code = code;
      this.text = text;
    }

    static Reason of(int code) {
      for (Reason reason : values()) {
        if (reason.code == code) {
          return reason;
        }
      }
      return UNKNOWN;
    }
  }

  /** Whether later replays run the new graph; otherwise they run the old one, unchanged. */
  public boolean updated() {
    return reason == Reason.SUCCESS;
  }

  /** One line for a log. */
  public String describe() {
    StringBuilder text = new StringBuilder(updated() ? "Updated" : "Not updated: ");
    if (!updated()) {
      text.append(reason.text).append(" (").append(reason).append(')');
    }
    if (node != null) {
      text.append(", at ").append(node);
    }
    if (from != null) {
      text.append(", for its edge from ").append(from);
    }
    return text.append('.').toString();
  }
}
