package dev.reprise.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cuda.diagnostics.ResourceKind;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class HostFunctionTest extends GpuTest {

  @Test
  void runsBetweenTheWorkBeforeItAndTheWorkBehindIt() {
    DeviceBuffer counter = ints("counter", 0);
    PinnedBuffer seen = device.allocatePinned("seen", 4);
    List<Integer> values = new CopyOnWriteArrayList<>();
    for (int i = 0; i < 3; i++) {
      increment(counter).launch(stream);
      stream.copyToHost(counter, 0, seen, 0, 4);
      stream.launchHost(() -> values.add(seen.segment().get(JAVA_INT, 0)));
    }
    stream.synchronize();
    assertThat(values).containsExactly(1, 2, 3);
    Eventually.isTrue("released", () -> live(ResourceKind.HOST_FUNCTION) == 0);
    seen.close();
    counter.close();
  }

  @Test
  void runsOnceForEachReplayAndLivesWithTheGraph() {
    AtomicInteger calls = new AtomicInteger();
    Graph graph = stream.capture(capture -> stream.launchHost("count", calls::incrementAndGet));
    stream.synchronize();
    assertThat(calls).hasValue(0);
    GraphExec exec = graph.instantiate();
    graph.close();
    for (int i = 0; i < 5; i++) {
      exec.replay(stream);
    }
    stream.synchronize();
    assertThat(calls).hasValue(5);
    assertThat(live(ResourceKind.HOST_FUNCTION)).isEqualTo(1);
    exec.close();
    assertThat(live(ResourceKind.HOST_FUNCTION)).isZero();
  }

  @Test
  void isKeptUntilItHasRun() {
    AtomicInteger calls = new AtomicInteger();
    try (Gate gate = new Gate(stream)) {
      stream.launchHost(calls::incrementAndGet);
      assertThat(live(ResourceKind.HOST_FUNCTION)).isEqualTo(1);
      assertThat(calls).hasValue(0);
      gate.letGoAndWait(stream);
    }
    assertThat(calls).hasValue(1);
    Eventually.isTrue("released", () -> live(ResourceKind.HOST_FUNCTION) == 0);
  }

  @Test
  void whatItThrowsIsReportedAndTheWorkGoesOn() {
    DeviceBuffer counter = ints("counter", 0);
    stream.launchHost(
        "broken",
        () -> {
          throw new StackOverflowError("planted");
        });
    stream.launchHost(
        "checked",
        () -> {
          throw new Exception("also planted");
        });
    increment(counter).launch(stream);
    assertThat(read(counter)).containsExactly(1);
    assertThat(listener.hostFailures)
        .extracting(failure -> failure.label() + ": " + failure.failure().getMessage())
        .containsExactly("broken: planted", "checked: also planted");
    counter.close();
  }

  @Test
  void callsOfTheRuntimeAreRefusedInside() {
    DeviceBuffer counter = ints("counter", 0);
    PreparedLaunch increment = increment(counter);
    Graph graph = stream.capture(capture -> increment.launch(stream));
    GraphExec exec = graph.instantiate();
    List<String> refused = new CopyOnWriteArrayList<>();
    List<Runnable> calls =
        List.of(
            () -> increment.launch(stream),
            stream::synchronize,
            stream::isComplete,
            () -> stream.launchHost(() -> {}),
            () -> exec.replay(stream),
            () -> exec.upload(stream),
            () -> exec.update(graph),
            graph::instantiate,
            graph::nodes,
            () -> device.createGraph("other"),
            () -> device.allocate("other", 4),
            device::createEvent,
            device::name,
            Device::count,
            device::synchronize);
    stream.launchHost(
        "caller",
        () -> {
          for (Runnable call : calls) {
            try {
              call.run();
            } catch (IllegalStateException e) {
              refused.add(String.valueOf(e.getMessage()));
            }
          }
        });
    stream.synchronize();
    assertThat(listener.hostFailures).isEmpty();
    assertThat(refused).hasSameSizeAs(calls).allMatch(text -> text.contains("'caller'"));
    // The thread of the driver is free again afterwards, and so is every other.
    increment.launch(stream);
    assertThat(read(counter)).containsExactly(1);
    exec.close();
    graph.close();
    counter.close();
  }

  @Test
  void objectsMayBeClosedInside() {
    DeviceBuffer buffer = ints("buffer", 0);
    stream.launchHost(buffer::close);
    stream.synchronize();
    assertThat(buffer.isClosed()).isTrue();
    Eventually.isTrue("released", () -> live(ResourceKind.DEVICE_BUFFER) == 0);
    assertThat(listener.hostFailures).isEmpty();
  }
}
