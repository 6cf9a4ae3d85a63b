package dev.reprise.softgpu.driver.api;

import dev.reprise.softgpu.driver.context.Event;
import dev.reprise.softgpu.driver.context.EventRecord;
import dev.reprise.softgpu.driver.context.EventWait;
import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.graph.GraphExec;
import dev.reprise.softgpu.driver.graph.Node;
import dev.reprise.softgpu.driver.operation.Operation;
import dev.reprise.softgpu.driver.support.CallerMemory;
import dev.reprise.softgpu.driver.support.CudaFailure;
import java.lang.foreign.MemorySegment;

/** Nodes of graphs that record events or wait for them. */
final class EventNodeFunctions extends Functions {

  EventNodeFunctions(SoftwareGpu gpu) {
    super(gpu);
  }

  int cuGraphAddEventRecordNode(
      MemorySegment phNode,
      MemorySegment hGraph,
      MemorySegment dependencies,
      long count,
      MemorySegment event) {
    Operation operation = new EventRecord(event(event, "event"));
    return GraphHandles.addNode(this, phNode, hGraph, dependencies, count, operation);
  }

  int cuGraphAddEventWaitNode(
      MemorySegment phNode,
      MemorySegment hGraph,
      MemorySegment dependencies,
      long count,
      MemorySegment event) {
    Operation operation = new EventWait(event(event, "event"));
    return GraphHandles.addNode(this, phNode, hGraph, dependencies, count, operation);
  }

  int cuGraphEventRecordNodeGetEvent(MemorySegment hNode, MemorySegment out) {
    Operation operation = GraphHandles.node(this, hNode, "hNode").operation();
    return write(operation instanceof EventRecord(Event event) ? event : other(operation), out);
  }

  int cuGraphEventWaitNodeGetEvent(MemorySegment hNode, MemorySegment out) {
    Operation operation = GraphHandles.node(this, hNode, "hNode").operation();
    return write(operation instanceof EventWait(Event event) ? event : other(operation), out);
  }

  private static int write(Event event, MemorySegment out) {
    CallerMemory.writeLong(out, "event_out", event.handle());
    return SUCCESS;
  }

  private static Event other(Operation operation) {
    throw CudaFailure.invalidValue("the node is another: " + operation.describe());
  }

  int cuGraphEventRecordNodeSetEvent(MemorySegment hNode, MemorySegment event) {
    return set(hNode, new EventRecord(event(event, "event")));
  }

  int cuGraphEventWaitNodeSetEvent(MemorySegment hNode, MemorySegment event) {
    return set(hNode, new EventWait(event(event, "event")));
  }

  private int set(MemorySegment hNode, Operation replacement) {
    Node node = GraphHandles.node(this, hNode, "hNode");
    if (node.type() != replacement.type()) {
      throw CudaFailure.invalidValue(node + " is of type " + node.type());
    }
    node.graph().replace(node, replacement);
    return SUCCESS;
  }

  int cuGraphExecEventRecordNodeSetEvent(
      MemorySegment hGraphExec, MemorySegment hNode, MemorySegment event) {
    return setInExec(hGraphExec, hNode, new EventRecord(event(event, "event")));
  }

  int cuGraphExecEventWaitNodeSetEvent(
      MemorySegment hGraphExec, MemorySegment hNode, MemorySegment event) {
    return setInExec(hGraphExec, hNode, new EventWait(event(event, "event")));
  }

  private int setInExec(MemorySegment hGraphExec, MemorySegment hNode, Operation replacement) {
    GraphExec exec = GraphHandles.exec(this, hGraphExec);
    Node node = GraphHandles.node(this, hNode, "hNode");
    if (exec.operation(node).type() != replacement.type()) {
      throw CudaFailure.invalidValue(node + " is of type " + node.type());
    }
    exec.replace(node, replacement);
    return SUCCESS;
  }
}
