package dev.reprise.softgpu.driver;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Entering, joining and leaving captures. */
class CaptureTest extends DriverTest {

  private static final int MEMSET = 2;
  private static final int HOST = 3;

  @Test
  void capturedWorkIsNotDone() {
    MemorySegment stream = stream();
    long buffer = ints(1);
    begin(stream, THREAD_LOCAL);
    fill(buffer, 2, 1, stream);
    MemorySegment graph = end(stream);
    synchronize(stream);
    assertThat(read(buffer, 1)).containsExactly(1);
    assertThat(nodes(graph)).hasSize(1);
  }

  @Test
  void eachCallDependsOnTheOneBefore() {
    MemorySegment stream = stream();
    long buffer = ints(1);
    begin(stream, THREAD_LOCAL);
    fill(buffer, 2, 1, stream);
    hostFunction(stream, () -> {});
    fill(buffer, 3, 1, stream);
    List<MemorySegment> nodes = nodes(end(stream));
    assertThat(nodes).extracting(this::nodeType).containsExactly(MEMSET, HOST, MEMSET);
    assertThat(dependencies(nodes.get(0))).isEmpty();
    assertThat(dependencies(nodes.get(1))).containsExactly(nodes.get(0));
    assertThat(dependencies(nodes.get(2))).containsExactly(nodes.get(1));
  }

  @Test
  void forksJoinThroughEventsWhichAddNoNodes() {
    MemorySegment origin = stream();
    MemorySegment fork = stream();
    MemorySegment forked = event();
    MemorySegment joined = event();
    long buffer = device(16);
    begin(origin, THREAD_LOCAL);
    fill(buffer, 1, 1, origin);
    record(forked, origin);
    waitFor(fork, forked);
    fill(buffer + 4, 2, 1, fork);
    fill(buffer + 8, 3, 1, origin);
    record(joined, fork);
    waitFor(origin, joined);
    fill(buffer + 12, 4, 1, origin);
    assertThat(captureStatus(fork)).isEqualTo(1);
    List<MemorySegment> nodes = nodes(end(origin));
    assertThat(captureStatus(fork)).isZero();
    assertThat(nodes).hasSize(4);
    assertThat(dependencies(nodes.get(1))).containsExactly(nodes.get(0));
    assertThat(dependencies(nodes.get(2))).containsExactly(nodes.get(0));
    assertThat(dependencies(nodes.get(3))).containsExactly(nodes.get(2), nodes.get(1));
  }

  @Test
  void theLegacyStreamCannotCapture() {
    expect(
        Result.STREAM_CAPTURE_UNSUPPORTED,
        cuda_h.cuStreamBeginCapture_v2(MemorySegment.NULL, RELAXED));
    expect(
        Result.STREAM_CAPTURE_UNSUPPORTED,
        cuda_h.cuStreamBeginCapture_v2(MemorySegment.ofAddress(1), RELAXED));
  }

  @Test
  void theStreamOfAThreadCanCapture() {
    MemorySegment perThread = MemorySegment.ofAddress(2);
    long buffer = device(4);
    begin(perThread, THREAD_LOCAL);
    fill(buffer, 1, 1, perThread);
    assertThat(nodes(end(perThread))).hasSize(1);
  }

  @Test
  void aStreamThatCapturesCannotBeginAgainAndGoesOn() {
    MemorySegment origin = stream();
    MemorySegment fork = stream();
    MemorySegment event = event();
    begin(origin, THREAD_LOCAL);
    expect(Result.ILLEGAL_STATE, cuda_h.cuStreamBeginCapture_v2(origin, THREAD_LOCAL));
    record(event, origin);
    waitFor(fork, event);
    expect(Result.ILLEGAL_STATE, cuda_h.cuStreamBeginCapture_v2(fork, THREAD_LOCAL));
    assertThat(nodes(end(origin))).isEmpty();
  }

  @Test
  void badModesAreRefused() {
    expect(Result.INVALID_VALUE, cuda_h.cuStreamBeginCapture_v2(stream(), 3));
    expect(Result.INVALID_VALUE, cuda_h.cuStreamBeginCapture_v2(stream(), -1));
  }

  @Test
  void onlyACapturingStreamCanEnd() {
    expectEnd(Result.ILLEGAL_STATE, stream());
    expectEnd(Result.ILLEGAL_STATE, MemorySegment.NULL);
    MemorySegment stream = stream();
    begin(stream, THREAD_LOCAL);
    expect(Result.INVALID_VALUE, cuda_h.cuStreamEndCapture(stream, MemorySegment.NULL));
    end(stream);
  }

  @Test
  void onlyTheOriginCanEnd() {
    MemorySegment origin = stream();
    MemorySegment fork = stream();
    MemorySegment event = event();
    begin(origin, THREAD_LOCAL);
    record(event, origin);
    waitFor(fork, event);
    expectEnd(Result.STREAM_CAPTURE_UNMATCHED, fork);
    end(origin);
  }

  @Test
  void anotherThreadCanEndOnlyARelaxedCapture() {
    MemorySegment strict = stream();
    begin(strict, THREAD_LOCAL);
    onAnotherThread(() -> expectEnd(Result.STREAM_CAPTURE_WRONG_THREAD, strict));
    end(strict);
    MemorySegment relaxed = stream();
    begin(relaxed, RELAXED);
    onAnotherThread(() -> assertThat(nodes(end(relaxed))).isEmpty());
  }

  @Test
  void workOnAForkThatWasNotJoinedIsAnError() {
    MemorySegment origin = stream();
    MemorySegment fork = stream();
    MemorySegment event = event();
    long buffer = device(4);
    begin(origin, THREAD_LOCAL);
    record(event, origin);
    waitFor(fork, event);
    fill(buffer, 1, 1, fork);
    expectEnd(Result.STREAM_CAPTURE_UNJOINED, origin);
    assertThat(captureStatus(origin)).isZero();
    assertThat(captureStatus(fork)).isZero();
    synchronize(fork);
  }

  @Test
  void aForkWithoutWorkNeedsNoJoin() {
    MemorySegment origin = stream();
    MemorySegment fork = stream();
    MemorySegment event = event();
    long buffer = device(4);
    begin(origin, THREAD_LOCAL);
    fill(buffer, 1, 1, origin);
    record(event, origin);
    waitFor(fork, event);
    assertThat(nodes(end(origin))).hasSize(1);
  }

  @Test
  void workOnAForkAfterItsJoinIsAnError() {
    MemorySegment origin = stream();
    MemorySegment fork = stream();
    MemorySegment event = event();
    long buffer = device(4);
    begin(origin, THREAD_LOCAL);
    record(event, origin);
    waitFor(fork, event);
    fill(buffer, 1, 1, fork);
    record(event, fork);
    waitFor(origin, event);
    fill(buffer, 2, 1, fork);
    expectEnd(Result.STREAM_CAPTURE_UNJOINED, origin);
  }

  @Test
  void waitingForAnOwnEventChangesNothing() {
    MemorySegment stream = stream();
    MemorySegment event = event();
    long buffer = device(4);
    begin(stream, THREAD_LOCAL);
    fill(buffer, 1, 1, stream);
    record(event, stream);
    fill(buffer, 2, 1, stream);
    waitFor(stream, event);
    fill(buffer, 3, 1, stream);
    List<MemorySegment> nodes = nodes(end(stream));
    assertThat(dependencies(nodes.get(2))).containsExactly(nodes.get(1));
  }

  @Test
  void anEventRecordedOutsideAgainIsNoLongerCaptured() {
    MemorySegment stream = stream();
    MemorySegment other = stream();
    MemorySegment event = event();
    begin(stream, THREAD_LOCAL);
    record(event, stream);
    record(event, other);
    end(stream);
    ok(cuda_h.cuEventSynchronize(event));
  }

  @Test
  void dependenciesCanBeReadAndReplaced() {
    MemorySegment stream = stream();
    long buffer = device(4);
    begin(stream, THREAD_LOCAL);
    fill(buffer, 1, 1, stream);
    MemorySegment first = singleDependency(stream);
    fill(buffer, 2, 1, stream);
    MemorySegment second = singleDependency(stream);
    assertThat(second).isNotEqualTo(first);
    MemorySegment array = arena().allocateFrom(ADDRESS, first);
    ok(cuda_h.cuStreamUpdateCaptureDependencies_v2(stream, array, MemorySegment.NULL, 1, 1));
    fill(buffer, 3, 1, stream);
    List<MemorySegment> nodes = nodes(end(stream));
    assertThat(dependencies(nodes.get(2))).containsExactly(first);
  }

  @Test
  void nodesDroppedFromASetNeedNoJoin() {
    MemorySegment stream = stream();
    long buffer = device(4);
    begin(stream, THREAD_LOCAL);
    fill(buffer, 1, 1, stream);
    ok(cuda_h.cuStreamUpdateCaptureDependencies(stream, MemorySegment.NULL, 0, 1));
    assertThat(nodes(end(stream))).hasSize(1);
  }

  @Test
  void badDependenciesAreRefused() {
    MemorySegment stream = stream();
    MemorySegment none = MemorySegment.NULL;
    expect(Result.ILLEGAL_STATE, cuda_h.cuStreamUpdateCaptureDependencies(stream, none, 0, 0));
    MemorySegment graph = out(slot -> cuda_h.cuGraphCreate(slot, 0));
    MemorySegment alien = out(slot -> cuda_h.cuGraphAddEmptyNode(slot, graph, none, 0));
    MemorySegment array = arena().allocateFrom(ADDRESS, alien);
    begin(stream, THREAD_LOCAL);
    expect(Result.INVALID_VALUE, cuda_h.cuStreamUpdateCaptureDependencies(stream, none, 1, 0));
    expect(Result.INVALID_VALUE, cuda_h.cuStreamUpdateCaptureDependencies(stream, array, 1, 0));
    expect(Result.INVALID_VALUE, cuda_h.cuStreamUpdateCaptureDependencies(stream, none, 0, 2));
    end(stream);
  }

  private MemorySegment singleDependency(MemorySegment stream) {
    MemorySegment status = arena().allocate(JAVA_INT);
    MemorySegment id = arena().allocate(JAVA_LONG);
    MemorySegment graph = arena().allocate(ADDRESS);
    MemorySegment dependencies = arena().allocate(ADDRESS);
    MemorySegment count = arena().allocate(JAVA_LONG);
    ok(
        cuda_h.cuStreamGetCaptureInfo_v3(
            stream, status, id, graph, dependencies, MemorySegment.NULL, count));
    assertThat(status.get(JAVA_INT, 0)).isEqualTo(1);
    assertThat(id.get(JAVA_LONG, 0)).isPositive();
    assertThat(graph.get(JAVA_LONG, 0)).isNotZero();
    assertThat(count.get(JAVA_LONG, 0)).isEqualTo(1);
    return dependencies.get(ADDRESS, 0).reinterpret(8).get(ADDRESS, 0);
  }

  @Test
  void theGraphCannotBeDestroyedNorInstantiatedWhileItIsCaptured() {
    MemorySegment stream = stream();
    begin(stream, THREAD_LOCAL);
    MemorySegment status = arena().allocate(JAVA_INT);
    MemorySegment graph = arena().allocate(ADDRESS);
    MemorySegment none = MemorySegment.NULL;
    ok(cuda_h.cuStreamGetCaptureInfo_v2(stream, status, none, graph, none, none));
    MemorySegment captured = graph.get(ADDRESS, 0);
    expect(Result.INVALID_VALUE, cuda_h.cuGraphDestroy(captured));
    expect(
        Result.INVALID_VALUE, cuda_h.cuGraphInstantiateWithFlags(arena().allocate(8), captured, 0));
    assertThat(end(stream)).isEqualTo(captured);
    ok(cuda_h.cuGraphDestroy(captured));
  }

  @Test
  void aCaptureCanAddToAGraph() {
    MemorySegment stream = stream();
    MemorySegment none = MemorySegment.NULL;
    long buffer = ints(0);
    MemorySegment graph = out(slot -> cuda_h.cuGraphCreate(slot, 0));
    MemorySegment first = out(slot -> cuda_h.cuGraphAddEmptyNode(slot, graph, none, 0));
    MemorySegment after = arena().allocateFrom(ADDRESS, first);
    ok(cuda_h.cuStreamBeginCaptureToGraph(stream, graph, after, none, 1, THREAD_LOCAL));
    fill(buffer, 1, 1, stream);
    assertThat(end(stream)).isEqualTo(graph);
    assertThat(dependencies(nodes(graph).get(1))).containsExactly(first);
    ok(cuda_h.cuStreamBeginCaptureToGraph(stream, graph, none, none, 0, THREAD_LOCAL));
    expect(Result.STREAM_CAPTURE_UNSUPPORTED, cuda_h.cuStreamQuery(stream));
    expectEnd(Result.STREAM_CAPTURE_INVALIDATED, stream);
    assertThat(nodes(graph)).hasSize(2);
  }
}
