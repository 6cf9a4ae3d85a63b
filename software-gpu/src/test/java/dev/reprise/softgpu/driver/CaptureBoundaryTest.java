package dev.reprise.softgpu.driver;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** What crosses the boundary of a capture, and what may be done to its graph meanwhile. */
class CaptureBoundaryTest extends DriverTest {

  private static final MemorySegment NONE = MemorySegment.NULL;

  private record Info(long id, MemorySegment graph) {}

  private Info info(MemorySegment stream) {
    MemorySegment status = arena().allocate(JAVA_INT);
    MemorySegment id = arena().allocate(JAVA_LONG);
    MemorySegment graph = arena().allocate(ADDRESS);
    ok(cuda_h.cuStreamGetCaptureInfo_v3(stream, status, id, graph, NONE, NONE, NONE));
    assertThat(status.get(JAVA_INT, 0)).isEqualTo(1);
    return new Info(id.get(JAVA_LONG, 0), graph.get(ADDRESS, 0));
  }

  @Test
  void workAfterACaptureFollowsTheWorkBeforeIt() {
    MemorySegment stream = stream();
    long buffer = ints(0);
    Gate gate = hold(stream);
    begin(stream, THREAD_LOCAL);
    fill(buffer, 1, 1, stream);
    end(stream);
    fill(buffer, 2, 1, stream);
    expectHeld(stream);
    gate.open();
    synchronize(stream);
    assertThat(read(buffer, 1)).containsExactly(2);
  }

  @Test
  void capturesHaveIdsThatAreNeverUsedAgain() {
    MemorySegment first = stream();
    MemorySegment second = stream();
    begin(first, THREAD_LOCAL);
    begin(second, THREAD_LOCAL);
    long a = info(first).id();
    long b = info(second).id();
    end(first);
    end(second);
    begin(first, THREAD_LOCAL);
    long c = info(first).id();
    end(first);
    assertThat(a).isNotEqualTo(b);
    assertThat(c).isNotIn(a, b);
  }

  @Test
  void theGraphMayGetNodesAndEdgesButLoseNone() {
    MemorySegment stream = stream();
    long buffer = device(4);
    begin(stream, THREAD_LOCAL);
    fill(buffer, 1, 1, stream);
    MemorySegment graph = info(stream).graph();
    MemorySegment captured = nodes(graph).getFirst();
    MemorySegment added = out(slot -> cuda_h.cuGraphAddEmptyNode(slot, graph, NONE, 0));
    MemorySegment from = arena().allocateFrom(ADDRESS, captured);
    MemorySegment to = arena().allocateFrom(ADDRESS, added);
    ok(cuda_h.cuGraphAddDependencies(graph, from, to, 1));
    expect(Result.INVALID_VALUE, cuda_h.cuGraphDestroyNode(added));
    expect(Result.INVALID_VALUE, cuda_h.cuGraphDestroy(graph));
    assertThat(captureStatus(stream)).isEqualTo(1);
    assertThat(nodes(end(stream))).containsExactly(captured, added);
    ok(cuda_h.cuGraphDestroyNode(added));
  }

  @Test
  void moreDependenciesThanTheGraphHasNodesAreRefused() {
    MemorySegment stream = stream();
    long buffer = device(4);
    begin(stream, THREAD_LOCAL);
    fill(buffer, 1, 1, stream);
    MemorySegment node = nodes(info(stream).graph()).getFirst();
    MemorySegment array = arena().allocate(ADDRESS, 2);
    array.setAtIndex(ADDRESS, 0, node);
    array.setAtIndex(ADDRESS, 1, node);
    expect(Result.INVALID_VALUE, cuda_h.cuStreamUpdateCaptureDependencies(stream, array, 2, 1));
    ok(cuda_h.cuStreamUpdateCaptureDependencies(stream, array, 1, 1));
    end(stream);
  }

  @Test
  void anEventOfAnInvalidatedCaptureIsRefusedUntilItEnds() {
    MemorySegment stream = stream();
    MemorySegment event = event();
    begin(stream, THREAD_LOCAL);
    record(event, stream);
    expect(Result.STREAM_CAPTURE_UNSUPPORTED, cuda_h.cuStreamQuery(stream));
    expect(Result.STREAM_CAPTURE_INVALIDATED, cuda_h.cuEventQuery(event));
    expectEnd(Result.STREAM_CAPTURE_INVALIDATED, stream);
    record(event, stream);
    ok(cuda_h.cuEventSynchronize(event));
  }

  @Test
  void theModeOfAThreadIsExchanged() {
    MemorySegment mode = arena().allocateFrom(JAVA_INT, RELAXED);
    ok(cuda_h.cuThreadExchangeStreamCaptureMode(mode));
    assertThat(mode.get(JAVA_INT, 0)).as("at first").isEqualTo(GLOBAL);
    mode.set(JAVA_INT, 0, THREAD_LOCAL);
    ok(cuda_h.cuThreadExchangeStreamCaptureMode(mode));
    assertThat(mode.get(JAVA_INT, 0)).isEqualTo(RELAXED);
    onAnotherThread(() -> {
      MemorySegment other = arena().allocateFrom(JAVA_INT, RELAXED);
      ok(cuda_h.cuThreadExchangeStreamCaptureMode(other));
      assertThat(other.get(JAVA_INT, 0)).as("each thread has its own").isEqualTo(GLOBAL);
    });
    ok(cuda_h.cuThreadExchangeStreamCaptureMode(mode));
    assertThat(mode.get(JAVA_INT, 0)).isEqualTo(THREAD_LOCAL);
  }
}
