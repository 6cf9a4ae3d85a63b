package dev.reprise.softgpu.driver.api;

import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.graph.Node;
import dev.reprise.softgpu.driver.operation.KernelAttributes;
import dev.reprise.softgpu.driver.operation.KernelLaunch;
import dev.reprise.softgpu.driver.support.CallerMemory;
import dev.reprise.softgpu.driver.support.CudaFailure;
import java.lang.foreign.MemorySegment;

/** Attributes of kernel nodes. */
final class KernelNodeAttributeFunctions extends Functions {

  KernelNodeAttributeFunctions(SoftwareGpu gpu) {
    super(gpu);
  }

  int cuGraphKernelNodeGetAttribute(MemorySegment hNode, int attribute, MemorySegment valueOut) {
    KernelLaunch launch = launch(GraphHandles.node(this, hNode, "hNode"));
    LaunchAttributes.checkNode(attribute);
    CallerMemory.struct(valueOut, KernelAttributes.BYTES, "value_out")
        .copyFrom(MemorySegment.ofArray(launch.attributes().value(attribute)));
    return SUCCESS;
  }

  int cuGraphKernelNodeSetAttribute(MemorySegment hNode, int attribute, MemorySegment value) {
    Node node = GraphHandles.node(this, hNode, "hNode");
    KernelLaunch launch = launch(node);
    byte[] bytes = LaunchAttributes.forNode(attribute, value);
    set(node, launch.with(launch.attributes().with(attribute, bytes)));
    return SUCCESS;
  }

  int cuGraphKernelNodeCopyAttributes(MemorySegment dst, MemorySegment src) {
    Node node = GraphHandles.node(this, dst, "dst");
    KernelLaunch launch = launch(node);
    KernelLaunch from = launch(GraphHandles.node(this, src, "src"));
    if (launch.function().image().owner() != from.function().image().owner()) {
      throw CudaFailure.invalidValue("the nodes belong to different contexts");
    }
    set(node, launch.with(from.attributes()));
    return SUCCESS;
  }

  private void set(Node node, KernelLaunch launch) {
    node.operation(LaunchAttributes.checkCooperative(context(), launch));
  }

  private static KernelLaunch launch(Node node) {
    if (node.operation() instanceof KernelLaunch launch) {
      return launch;
    }
    throw CudaFailure.invalidValue(node + " is of type " + node.type());
  }
}
