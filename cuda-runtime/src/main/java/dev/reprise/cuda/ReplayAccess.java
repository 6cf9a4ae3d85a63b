package dev.reprise.cuda;

import dev.reprise.cuda.access.Clock;
import dev.reprise.cuda.access.Declarations;
import dev.reprise.cuda.access.DeclaredUse;
import dev.reprise.cuda.access.StreamAccess;
import dev.reprise.cuda.ownership.HandleNode;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a replay of an executable graph does, for the check of accesses: all that its nodes do, as
 * one operation, in the end of which every event of its is recorded. Guarded by the lock of the
 * exec.
 */
final class ReplayAccess {

  private final String operation;
  private final List<DeclaredUse> uses;
  private final List<NodeAccess> nodes = new ArrayList<>();
  private final Set<HostFunctionHandle> functions = new LinkedHashSet<>();

  /** Gathers what the nodes do. */
  ReplayAccess(String label, List<Attachment> attachments) {
    this.operation = "replay of graph '%s'".formatted(label);
    List<DeclaredUse> all = new ArrayList<>();
    for (Attachment attachment : attachments) {
      nodes.add(attachment.access());
      all.addAll(attachment.access().uses());
      for (HandleNode node : attachment.nodes()) {
        if (node instanceof HostFunctionHandle function) {
          functions.add(function);
        }
      }
    }
    this.uses = Declarations.combined("a " + operation, all);
  }

  /**
   * Takes note of a replay before the driver sees it.
   *
   * @param before the replay before it, which the driver lets end first
   */
  void issue(StreamAccess stream, @Nullable Clock before) {
    stream.waitFor(before);
    boolean awaits = false;
    for (NodeAccess node : nodes) {
      node.waits().forEach(event -> stream.waitFor(event.recorded()));
      awaits |= node.awaits();
    }
    if (awaits) {
      stream.awaitUnknown();
    }
    stream.issue(operation, uses);
    for (HostFunctionHandle function : functions) {
      function.runsAfter(stream.pointAfter(function.before()));
    }
  }

  /** Takes note that the driver has it, and gives the point at which it ends. */
  Clock issued(StreamAccess stream) {
    for (NodeAccess node : nodes) {
      node.records().forEach(event -> event.recordedAt(stream.point()));
      node.signals()
          .forEach(signal -> stream.signal(signal.memory(), signal.offset(), signal.value()));
    }
    return stream.point();
  }
}
