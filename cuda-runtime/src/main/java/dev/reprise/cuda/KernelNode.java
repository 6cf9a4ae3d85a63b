package dev.reprise.cuda;

import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A kernel launch in a graph. See CUDA Driver API, "Graph Management", {@code
 * cuGraphAddKernelNode}.
 */
public final class KernelNode extends GraphNode {

  KernelNode(Graph graph, MemorySegment value, @Nullable ChildGraphNode parent) {
    super(graph, value, GraphNodeType.KERNEL, parent);
  }

  /** Grid, block and shared memory ({@code cuGraphKernelNodeGetParams}). */
  public LaunchConfig config() {
    synchronized (graph().lock()) {
      checkPresent();
      return GraphNodeCalls.kernelConfig(graph().context(), value());
    }
  }

  /**
   * The name of the kernel ({@code cuFuncGetName}); empty where the driver does not tell (before
   * CUDA 12.3).
   */
  public Optional<String> kernelName() {
    synchronized (graph().lock()) {
      checkPresent();
      return GraphNodeCalls.kernelName(graph().context(), value());
    }
  }

  /**
   * What it asks for beyond its configuration; a priority of 0 is told as none ({@code
   * cuGraphKernelNodeGetAttribute}).
   */
  public LaunchAttributes attributes() {
    synchronized (graph().lock()) {
      checkPresent();
      return KernelAttributeCalls.get(graph().context(), value());
    }
  }

  /**
   * Makes it another launch, with its attributes, of the same or another kernel ({@code
   * cuGraphKernelNodeSetParams}). The arguments are copied now. Graphs that were instantiated
   * before do not change, see {@link GraphExec#set(KernelNode, PreparedLaunch)}.
   */
  public void set(PreparedLaunch launch) {
    graph()
        .change(
            this,
            uses -> graph().enter(launch, uses),
            () -> GraphNodeCalls.setKernel(graph().context(), value(), launch));
  }
}
