package dev.reprise.softgpu.driver.api;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.reprise.bindings.cuda.CUgraphEdgeData;
import dev.reprise.softgpu.driver.context.CaptureInfo;
import dev.reprise.softgpu.driver.context.CaptureMode;
import dev.reprise.softgpu.driver.context.CaptureStatus;
import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.context.Stream;
import dev.reprise.softgpu.driver.context.ThreadState;
import dev.reprise.softgpu.driver.graph.Graph;
import dev.reprise.softgpu.driver.graph.Node;
import dev.reprise.softgpu.driver.support.CallerMemory;
import dev.reprise.softgpu.driver.support.CudaFailure;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Stream capture. */
final class CaptureFunctions extends Functions {

  private static final int ADD_DEPENDENCIES = 0;
  private static final int SET_DEPENDENCIES = 1;

  CaptureFunctions(SoftwareGpu gpu) {
    super(gpu);
  }

  int cuStreamBeginCapture_v2(MemorySegment hStream, int mode) {
    Stream stream = stream(context(), hStream);
    captures().begin(stream, CaptureMode.of(mode), thread());
    return SUCCESS;
  }

  int cuStreamBeginCaptureToGraph(
      MemorySegment hStream,
      MemorySegment hGraph,
      MemorySegment dependencies,
      MemorySegment edgeData,
      long count,
      int mode) {
    Stream stream = stream(context(), hStream);
    Graph graph = GraphHandles.graph(this, hGraph, "hGraph");
    NodeArguments.checkEdgeData(edgeData, count);
    List<Node> after = NodeArguments.nodes(handles(), dependencies, count, "dependencies");
    captures().beginInto(stream, CaptureMode.of(mode), thread(), graph, after);
    return SUCCESS;
  }

  int cuStreamEndCapture(MemorySegment hStream, MemorySegment phGraph) {
    Stream stream = stream(context(), hStream);
    CallerMemory.writeLong(phGraph, "phGraph", 0);
    Graph graph = captures().end(stream, thread());
    CallerMemory.writeLong(phGraph, "phGraph", graph.handle());
    return SUCCESS;
  }

  int cuStreamIsCapturing(MemorySegment hStream, MemorySegment status) {
    Stream stream = stream(context(), hStream);
    CallerMemory.required(status, "captureStatus");
    CallerMemory.writeInt(status, "captureStatus", captures().info(stream).status().code());
    return SUCCESS;
  }

  int cuStreamGetCaptureInfo_v2(
      MemorySegment hStream,
      MemorySegment status,
      MemorySegment id,
      MemorySegment graph,
      MemorySegment dependencies,
      MemorySegment count) {
    return info(hStream, status, id, graph, dependencies, MemorySegment.NULL, count);
  }

  int cuStreamGetCaptureInfo_v3(
      MemorySegment hStream,
      MemorySegment status,
      MemorySegment id,
      MemorySegment graph,
      MemorySegment dependencies,
      MemorySegment edgeData,
      MemorySegment count) {
    return info(hStream, status, id, graph, dependencies, edgeData, count);
  }

  private int info(
      MemorySegment hStream,
      MemorySegment status,
      MemorySegment id,
      MemorySegment graph,
      MemorySegment dependencies,
      MemorySegment edgeData,
      MemorySegment count) {
    Stream stream = stream(context(), hStream);
    CallerMemory.required(status, "captureStatus_out");
    CaptureInfo info = captures().info(stream);
    CallerMemory.writeInt(status, "captureStatus_out", info.status().code());
    if (info.status() != CaptureStatus.ACTIVE || info.graph() == null) {
      return SUCCESS;
    }
    CallerMemory.writeLongIfWanted(id, info.id());
    CallerMemory.writeLongIfWanted(graph, info.graph().handle());
    CallerMemory.writeLongIfWanted(count, info.nodes().size());
    // One block for the array of nodes and the array of edge data, which is all zero.
    int nodes = info.nodes().size();
    long edgeBytes = CUgraphEdgeData.sizeof() * nodes;
    MemorySegment arrays =
        Arena.ofAuto().allocate(JAVA_LONG.byteSize() * nodes + edgeBytes, JAVA_LONG.byteSize());
    for (int i = 0; i < nodes; i++) {
      arrays.setAtIndex(JAVA_LONG, i, info.nodes().get(i).handle());
    }
    stream.keep(arrays);
    CallerMemory.writeLongIfWanted(dependencies, nodes == 0 ? 0 : arrays.address());
    CallerMemory.writeLongIfWanted(
        edgeData, nodes == 0 ? 0 : arrays.address() + JAVA_LONG.byteSize() * nodes);
    return SUCCESS;
  }

  int cuStreamUpdateCaptureDependencies(
      MemorySegment hStream, MemorySegment dependencies, long count, int flags) {
    return update(hStream, dependencies, count, flags);
  }

  int cuStreamUpdateCaptureDependencies_v2(
      MemorySegment hStream,
      MemorySegment dependencies,
      MemorySegment edgeData,
      long count,
      int flags) {
    NodeArguments.checkEdgeData(edgeData, count);
    return update(hStream, dependencies, count, flags);
  }

  private int update(MemorySegment hStream, MemorySegment dependencies, long count, int flags) {
    Stream stream = stream(context(), hStream);
    if (flags != ADD_DEPENDENCIES && flags != SET_DEPENDENCIES) {
      throw CudaFailure.invalidValue("flags " + flags + "; they are 0 (add) or 1 (set)");
    }
    captures().requireCapturing(stream);
    List<Node> nodes = NodeArguments.nodes(handles(), dependencies, count, "dependencies");
    captures().updateDependencies(stream, nodes, flags == SET_DEPENDENCIES);
    return SUCCESS;
  }

  int cuThreadExchangeStreamCaptureMode(MemorySegment mode) {
    ThreadState thread = thread();
    long address = CallerMemory.required(mode, "mode");
    CaptureMode wanted = CaptureMode.of(CallerMemory.readInt(address));
    CallerMemory.writeInt(mode, "mode", thread.captureMode().code());
    thread.captureMode(wanted);
    return SUCCESS;
  }
}
