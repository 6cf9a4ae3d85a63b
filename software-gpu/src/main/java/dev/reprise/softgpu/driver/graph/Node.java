package dev.reprise.softgpu.driver.graph;

import dev.reprise.softgpu.driver.operation.NodeType;
import dev.reprise.softgpu.driver.operation.Operation;
import dev.reprise.softgpu.driver.support.HandleKind;
import dev.reprise.softgpu.driver.support.Handled;
import dev.reprise.softgpu.driver.support.Handles;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One node of a graph and its edges. Guarded by whoever guards the graph. */
public final class Node extends Handled {

  private final Graph graph;
  private final @Nullable Node original;
  private Operation operation;
  private final Map<Node, EdgeKind> dependencies = new LinkedHashMap<>();
  private final Set<Node> dependents = new LinkedHashSet<>();

  Node(Handles handles, Graph graph, Operation operation, @Nullable Node original) {
    super(handles, HandleKind.GRAPH_NODE);
    this.graph = graph;
    this.operation = operation;
    this.original = original;
  }

  /** The graph it is in. */
  public Graph graph() {
    return graph;
  }

  /** In a copy of a graph, the node that this one was copied from. */
  public @Nullable Node original() {
    return original;
  }

  public Operation operation() {
    return operation;
  }

  /** Replaces the parameters; graphs instantiated before keep the old ones. */
  public void operation(Operation replacement) {
    operation = replacement;
  }

  public NodeType type() {
    return operation.type();
  }

  /** The nodes that must have run before this one, in the order in which they were added. */
  public Set<Node> dependencies() {
    return Collections.unmodifiableSet(dependencies.keySet());
  }

  /** The nodes that wait for this one, in the order in which they were added. */
  public Set<Node> dependents() {
    return Collections.unmodifiableSet(dependents);
  }

  /** The kind of the edge from a node that this one depends on; null when there is none. */
  public @Nullable EdgeKind edgeFrom(Node earlier) {
    return dependencies.get(earlier);
  }

  boolean dependOn(Node earlier, EdgeKind kind) {
    earlier.dependents.add(this);
    return dependencies.putIfAbsent(earlier, kind) == null;
  }

  boolean forget(Node earlier) {
    earlier.dependents.remove(this);
    return dependencies.remove(earlier) != null;
  }
}
