package dev.reprise.cuda;

import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.OptionalInt;
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
   * The bits of an argument of 4 bytes, as the node keeps it ({@code cuGraphKernelNodeGetParams}).
   * The driver does not say whether it is an integer or a float.
   *
   * @param index of the argument
   * @return empty where the driver does not tell the parameters of kernels (before CUDA 12.4)
   * @throws IllegalArgumentException if the kernel has no argument of 4 bytes there
   * @throws IllegalStateException if the arguments were given in one buffer
   */
  public OptionalInt argument(int index) {
    synchronized (graph().lock()) {
      checkPresent();
      return GraphNodeCalls.kernelArgument(graph().context(), value(), index);
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
