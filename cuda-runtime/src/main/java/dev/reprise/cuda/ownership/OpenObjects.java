package dev.reprise.cuda.ownership;

import dev.reprise.cuda.diagnostics.Leak;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The objects that the program has open, where creation sites are kept; told to their listeners
 * when the process ends. A node does not keep its façade, so that what is lost is still collected.
 */
final class OpenObjects {

  private static final Set<HandleNode> OPEN = ConcurrentHashMap.newKeySet();

  static {
    try {
      Runtime.getRuntime().addShutdownHook(new Thread(OpenObjects::tell, "reprise-open-objects"));
    } catch (IllegalStateException e) {
      // The process is ending: whoever makes objects now is told of none.
      OPEN.clear();
    }
  }

  private OpenObjects() {}

  static void add(HandleNode node) {
    OPEN.add(node);
  }

  static void remove(HandleNode node) {
    OPEN.remove(node);
  }

  private static void tell() {
    List<HandleNode> open =
        OPEN.stream()
            .sorted(Comparator.comparing(HandleNode::kind).thenComparing(HandleNode::label))
            .toList();
    for (HandleNode node : open) {
      Leak left = node.leak();
      node.report(listener -> listener.openAtExit(left));
    }
  }
}
