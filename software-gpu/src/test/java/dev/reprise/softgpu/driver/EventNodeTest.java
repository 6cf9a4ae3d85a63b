package dev.reprise.softgpu.driver;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.CUDA_EVENT_RECORD_NODE_PARAMS;
import dev.reprise.bindings.cuda.CUgraphNodeParams;
import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** Graph nodes that record events and wait for them. */
class EventNodeTest extends DriverTest {

  private static final MemorySegment NONE = MemorySegment.NULL;
  private static final int WAIT_EVENT = 6;
  private static final int EVENT_RECORD = 7;

  private MemorySegment graph() {
    return out(slot -> cuda_h.cuGraphCreate(slot, 0));
  }

  @Test
  void aRecordNodeRecordsAtEachLaunch() {
    MemorySegment stream = stream();
    MemorySegment other = stream();
    MemorySegment event = event();
    begin(stream, THREAD_LOCAL);
    ok(cuda_h.cuEventRecordWithFlags(event, stream, 1));
    MemorySegment graph = end(stream);
    MemorySegment node = nodes(graph).get(0);
    assertThat(nodeType(node)).isEqualTo(EVENT_RECORD);
    assertThat(out(slot -> cuda_h.cuGraphEventRecordNodeGetEvent(node, slot))).isEqualTo(event);
    MemorySegment exec = instantiate(graph);
    ok(cuda_h.cuEventQuery(event));
    Gate gate = hold(stream);
    ok(cuda_h.cuGraphLaunch(exec, stream));
    expect(Result.NOT_READY, cuda_h.cuEventQuery(event));
    waitFor(other, event);
    expectHeld(other);
    gate.open();
    synchronize(other);
    ok(cuda_h.cuEventQuery(event));
  }

  @Test
  void aWaitNodeWaitsForTheRecordBeforeTheLaunch() {
    MemorySegment stream = stream();
    MemorySegment other = stream();
    MemorySegment event = event();
    begin(stream, THREAD_LOCAL);
    ok(cuda_h.cuStreamWaitEvent(stream, event, 1));
    MemorySegment graph = end(stream);
    assertThat(nodeType(nodes(graph).get(0))).isEqualTo(WAIT_EVENT);
    MemorySegment exec = instantiate(graph);
    ok(cuda_h.cuGraphLaunch(exec, stream));
    synchronize(stream);
    Gate gate = hold(other);
    record(event, other);
    ok(cuda_h.cuGraphLaunch(exec, stream));
    expectHeld(stream);
    gate.open();
    synchronize(stream);
  }

  @Test
  void nodesKeepTimeBetweenThem() {
    MemorySegment start = timingEvent();
    MemorySegment end = timingEvent();
    MemorySegment graph = graph();
    MemorySegment first =
        out(slot -> cuda_h.cuGraphAddEventRecordNode(slot, graph, NONE, 0, start));
    MemorySegment after = arena().allocateFrom(ADDRESS, first);
    MemorySegment params = CUgraphNodeParams.allocate(arena());
    CUgraphNodeParams.type(params, EVENT_RECORD);
    CUDA_EVENT_RECORD_NODE_PARAMS.event(CUgraphNodeParams.eventRecord(params), end);
    out(slot -> cuda_h.cuGraphAddNode_v2(slot, graph, after, NONE, 1, params));
    MemorySegment exec = instantiate(graph);
    MemorySegment stream = stream();
    ok(cuda_h.cuGraphLaunch(exec, stream));
    synchronize(stream);
    MemorySegment millis = arena().allocate(JAVA_FLOAT);
    ok(cuda_h.cuEventElapsedTime_v2(millis, start, end));
    assertThat(millis.get(JAVA_FLOAT, 0)).isNotNegative();
  }

  @Test
  void theEventOfANodeCanBeReplaced() {
    MemorySegment first = event();
    MemorySegment second = event();
    MemorySegment graph = graph();
    MemorySegment node = out(slot -> cuda_h.cuGraphAddEventRecordNode(slot, graph, NONE, 0, first));
    MemorySegment exec = instantiate(graph);
    ok(cuda_h.cuGraphExecEventRecordNodeSetEvent(exec, node, second));
    MemorySegment stream = stream();
    hold(stream);
    ok(cuda_h.cuGraphLaunch(exec, stream));
    ok(cuda_h.cuEventQuery(first));
    expect(Result.NOT_READY, cuda_h.cuEventQuery(second));
    expect(Result.INVALID_VALUE, cuda_h.cuGraphEventWaitNodeSetEvent(node, second));
    expect(Result.INVALID_HANDLE, cuda_h.cuGraphEventRecordNodeSetEvent(node, graph));
  }

  @Test
  void externalFlagsNeedACapture() {
    MemorySegment stream = stream();
    MemorySegment event = event();
    expect(Result.INVALID_VALUE, cuda_h.cuEventRecordWithFlags(event, stream, 1));
    expect(Result.INVALID_VALUE, cuda_h.cuStreamWaitEvent(stream, event, 1));
  }
}
