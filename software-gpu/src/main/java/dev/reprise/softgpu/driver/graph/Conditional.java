package dev.reprise.softgpu.driver.graph;

import dev.reprise.softgpu.driver.operation.NodeType;
import dev.reprise.softgpu.driver.queue.FaultScope;
import java.util.List;

/**
 * A node that runs one of its bodies, or one again and again, as a condition says.
 *
 * @param scope where a loop learns that it must end though its condition holds
 * @param graphs the bodies
 */
public record Conditional(Kind kind, Condition condition, FaultScope scope, List<Graph> graphs)
    implements Nesting {

  /** {@code CUgraphConditionalNodeType}. */
  public enum Kind {
    /** The first body for a value other than 0, the second, if there is one, for 0. */
    IF(2),
    /** The body, as long as the value is not 0. */
    WHILE(1),
    /** The body whose number is the value, if there is one. */
    SWITCH(Integer.MAX_VALUE);

    private final int mostBodies;

    Kind(int mostBodies) {
      this.mostBodies = mostBodies;
    }

    /** How many bodies such a node can have; every one has at least one. */
    public int mostBodies() {
      return mostBodies;
    }
  }

  @Override
  public NodeType type() {
    return NodeType.CONDITIONAL;
  }

  @Override
  public String describe() {
    return "%s on handle 0x%x with %d bodies".formatted(kind, condition.handle(), graphs.size());
  }

  @Override
  public Conditional around(List<Graph> copies) {
    return new Conditional(kind, condition, scope, List.copyOf(copies));
  }

  /** The same node with the bodies it has, deciding by another condition. */
  Conditional decidingBy(Condition other) {
    return new Conditional(kind, other, scope, graphs);
  }

  /** True when an executable node like this can take over what the other one does. */
  boolean sameShape(Conditional other) {
    return kind == other.kind && graphs.size() == other.graphs.size();
  }
}
