package dev.reprise.softgpu.driver.graph;

import dev.reprise.softgpu.driver.operation.Copy;
import dev.reprise.softgpu.driver.operation.Fill;
import dev.reprise.softgpu.driver.operation.KernelAttributes;
import dev.reprise.softgpu.driver.operation.KernelLaunch;
import dev.reprise.softgpu.driver.operation.Operation;
import dev.reprise.softgpu.driver.operation.WordBatch;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The rules of {@code cuGraphExecUpdate}: which differences between two graphs an executable graph
 * can take over. Nodes are paired by the order in which they were added; see the CUDA Programming
 * Guide, "Graph Update Limitations".
 */
public final class GraphUpdate {

  /** {@code CUgraphExecUpdateResult}, as far as this driver answers with it. */
  public enum Verdict {
    SUCCESS(0),
    TOPOLOGY_CHANGED(2),
    NODE_TYPE_CHANGED(3),
    PARAMETERS_CHANGED(5),
    NOT_SUPPORTED(6),
    UNSUPPORTED_FUNCTION_CHANGE(7),
    ATTRIBUTES_CHANGED(8);

    private final int code;

    Verdict(int code) {
      this.code = code;
    }

    /** The number in {@code cuda.h}. */
    public int code() {
      return code;
    }
  }

  /**
   * What came of an update.
   *
   * @param node the node of the new graph that does not fit, if there is one
   * @param from for an edge that does not fit, the node it comes from
   */
  public record Outcome(Verdict verdict, @Nullable Node node, @Nullable Node from) {
    static final Outcome SUCCESS = new Outcome(Verdict.SUCCESS, null, null);

    /** Its conditional or memory nodes belong to another executable graph. */
    static final Outcome NOT_SUPPORTED = new Outcome(Verdict.NOT_SUPPORTED, null, null);
  }

  private record Change(Node node, Operation operation) {}

  private final boolean fixedPriorities;
  private final List<Change> changes = new ArrayList<>();

  private GraphUpdate(boolean fixedPriorities) {
    this.fixedPriorities = fixedPriorities;
  }

  /**
   * Compares all, and only if everything fits applies the changes.
   *
   * @param fixedPriorities whether the priorities of kernels must stay
   */
  static Outcome apply(
      Graph template, Graph graph, boolean fixedPriorities, BiConsumer<Node, Operation> apply) {
    GraphUpdate update = new GraphUpdate(fixedPriorities);
    Outcome outcome = update.compare(template, graph);
    if (outcome.verdict() == Verdict.SUCCESS) {
      update.changes.forEach(change -> apply.accept(change.node(), change.operation()));
    }
    return outcome;
  }

  private Outcome compare(Graph template, Graph graph) {
    List<Node> old = List.copyOf(template.nodes());
    List<Node> updated = List.copyOf(graph.nodes());
    if (old.size() != updated.size()) {
      return new Outcome(Verdict.TOPOLOGY_CHANGED, null, null);
    }
    Map<Node, Integer> oldIndex = indices(old);
    Map<Node, Integer> updatedIndex = indices(updated);
    for (int i = 0; i < old.size(); i++) {
      Outcome outcome = edges(old.get(i), oldIndex, updated.get(i), updatedIndex);
      if (outcome.verdict() == Verdict.SUCCESS) {
        outcome = parameters(old.get(i), updated.get(i));
      }
      if (outcome.verdict() != Verdict.SUCCESS) {
        return outcome;
      }
    }
    return Outcome.SUCCESS;
  }

  private static Map<Node, Integer> indices(List<Node> nodes) {
    Map<Node, Integer> indices = new HashMap<>();
    for (Node node : nodes) {
      indices.put(node, indices.size());
    }
    return indices;
  }

  private static Outcome edges(
      Node old, Map<Node, Integer> oldIndex, Node updated, Map<Node, Integer> updatedIndex) {
    List<Node> oldFrom = List.copyOf(old.dependencies());
    List<Node> updatedFrom = List.copyOf(updated.dependencies());
    if (oldFrom.size() != updatedFrom.size()) {
      return new Outcome(Verdict.TOPOLOGY_CHANGED, updated, null);
    }
    for (int i = 0; i < oldFrom.size(); i++) {
      Integer before = oldIndex.get(oldFrom.get(i));
      EdgeKind kind = old.edgeFrom(oldFrom.get(i));
      if (before == null
          || !before.equals(updatedIndex.get(updatedFrom.get(i)))
          || !Objects.equals(kind, updated.edgeFrom(updatedFrom.get(i)))) {
        return new Outcome(Verdict.TOPOLOGY_CHANGED, updated, updatedFrom.get(i));
      }
    }
    return Outcome.SUCCESS;
  }

  private Outcome parameters(Node old, Node updated) {
    if (old.type() != updated.type()) {
      return new Outcome(Verdict.NODE_TYPE_CHANGED, updated, null);
    }
    if (old.operation() instanceof ChildGraph(Graph oldChild)
        && updated.operation() instanceof ChildGraph(Graph updatedChild)) {
      return compare(oldChild, updatedChild);
    }
    if (old.operation() instanceof Conditional before
        && updated.operation() instanceof Conditional after) {
      return bodies(old, before, updated, after);
    }
    if (!compatible(old.operation(), updated.operation())) {
      return new Outcome(
          old.operation() instanceof KernelLaunch
              ? Verdict.UNSUPPORTED_FUNCTION_CHANGE
              : Verdict.PARAMETERS_CHANGED,
          updated,
          null);
    }
    if (!sameAttributes(old.operation(), updated.operation())) {
      return new Outcome(Verdict.ATTRIBUTES_CHANGED, updated, null);
    }
    changes.add(new Change(old, updated.operation()));
    return Outcome.SUCCESS;
  }

  /** Bodies follow these rules; the condition is that of the new graph, as its kernels name it. */
  private Outcome bodies(Node old, Conditional before, Node updated, Conditional after) {
    if (!before.sameShape(after)) {
      return new Outcome(Verdict.PARAMETERS_CHANGED, updated, null);
    }
    for (int i = 0; i < before.graphs().size(); i++) {
      Outcome outcome = compare(before.graphs().get(i), after.graphs().get(i));
      if (outcome.verdict() != Verdict.SUCCESS) {
        return outcome;
      }
    }
    changes.add(new Change(old, before.decidingBy(after.condition())));
    return Outcome.SUCCESS;
  }

  private boolean sameAttributes(Operation old, Operation updated) {
    if (!(old instanceof KernelLaunch before && updated instanceof KernelLaunch after)) {
      return true;
    }
    KernelAttributes had = before.attributes();
    KernelAttributes gets = after.attributes();
    return had.cooperative() == gets.cooperative()
        && (!fixedPriorities || had.priority() == gets.priority());
  }

  /** True when a node with the first parameters may get the second ones. */
  public static boolean compatible(Operation old, Operation updated) {
    if (old instanceof Copy before && updated instanceof Copy after) {
      return before.equals(after)
          || (before.linear()
              && after.linear()
              && before.destination().onHost(before.memory())
                  == after.destination().onHost(after.memory())
              && before.source().onHost(before.memory()) == after.source().onHost(after.memory()));
    }
    if (old instanceof Fill before && updated instanceof Fill after) {
      return before.height() == after.height()
          && (before.height() == 1
              || (before.width() == after.width()
                  && before.elementSize() == after.elementSize()
                  && before.destination().pitch() == after.destination().pitch()));
    }
    if (old instanceof KernelLaunch before && updated instanceof KernelLaunch after) {
      return before.function().image().owner() == after.function().image().owner();
    }
    if (old instanceof WordBatch before && updated instanceof WordBatch after) {
      return before.sameTypes(after);
    }
    return old.type() == updated.type();
  }
}
