package dev.reprise.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cuda.diagnostics.AccessCheck;
import dev.reprise.cuda.diagnostics.Diagnostics;
import dev.reprise.cuda.diagnostics.HostFunctionFailure;
import dev.reprise.cuda.diagnostics.ResourceKind;
import dev.reprise.softgpu.junit.PlantedMistake;
import dev.reprise.softgpu.sanitizer.ReportKind;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tasks that streams and graphs hand to an executor. */
final class HandOffTest extends GpuTest {

  private final ExecutorService executor = Executors.newSingleThreadExecutor();

  @AfterEach
  void stopExecutor() throws InterruptedException {
    executor.shutdown();
    assertThat(executor.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
  }

  /** Waits for the tasks that the executor was given so far. */
  private void awaitTasks() throws Exception {
    Future<?> last = executor.submit(() -> {});
    last.get(60, TimeUnit.SECONDS);
  }

  @Test
  void aTaskRunsBehindTheWorkBeforeIt() throws Exception {
    List<Integer> values = new CopyOnWriteArrayList<>();
    try (DeviceBuffer counter = ints("counter", 0);
        PinnedBuffer seen = device.allocatePinned("seen", 4)) {
      increment(counter).launch(stream);
      stream.copyToHost(counter, 0, seen, 0, 4);
      stream.launchHost(() -> values.add(seen.segment().get(JAVA_INT, 0)), executor);
      stream.synchronize();
      awaitTasks();
    }
    assertThat(values).containsExactly(1);
    Eventually.isTrue("released", () -> live(ResourceKind.HOST_FUNCTION) == 0);
  }

  @Test
  void theStreamDoesNotWaitForTheTask() throws Exception {
    CountDownLatch goOn = new CountDownLatch(1);
    AtomicInteger done = new AtomicInteger();
    try (DeviceBuffer counter = ints("counter", 0)) {
      stream.launchHost(
          "slow",
          () -> {
            awaitUninterrupted(goOn);
            done.incrementAndGet();
          },
          executor);
      increment(counter).launch(stream);
      assertThat(read(counter)).containsExactly(1);
      assertThat(done).hasValue(0);
      goOn.countDown();
      awaitTasks();
      assertThat(done).hasValue(1);
    } finally {
      goOn.countDown();
    }
  }

  private static void awaitUninterrupted(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aStreamCanWaitForANumberThatTheTaskWrites() throws Exception {
    try (DeviceBuffer counter = ints("counter", 0);
        PinnedBuffer flag = device.allocatePinned("flag", 4)) {
      flag.segment().set(JAVA_INT, 0, 0);
      stream.launchHost(() -> flag.segment().set(JAVA_INT, 0, 1), executor);
      stream.waitValue32(flag, 0, 1, WaitCondition.EQUAL);
      increment(counter).launch(stream);
      assertThat(read(counter)).containsExactly(1);
      awaitTasks();
    }
  }

  @Test
  void theTaskMayCallTheRuntimeAndWait() throws Exception {
    List<Integer> values = new CopyOnWriteArrayList<>();
    try (DeviceBuffer counter = ints("counter", 4)) {
      stream.launchHost(
          () -> {
            increment(counter).launch(stream);
            values.add(read(counter)[0]);
          },
          executor);
      stream.synchronize();
      awaitTasks();
    }
    assertThat(values).containsExactly(5);
  }

  @Test
  void oneThatIsRunByTheDriversThreadMayNot() {
    Executor inPlace = Runnable::run;
    stream.launchHost("in place", stream::synchronize, inPlace);
    stream.synchronize();
    assertThat(listener.hostFailures)
        .singleElement()
        .satisfies(failure ->
            assertThat(failure.failure())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'in place'"));
  }

  @Test
  void aTaskThatIsRefusedIsReportedAndTheWorkGoesOn() {
    ExecutorService closed = Executors.newSingleThreadExecutor();
    closed.shutdown();
    AtomicInteger calls = new AtomicInteger();
    try (DeviceBuffer counter = ints("counter", 0)) {
      stream.launchHost("refused", calls::incrementAndGet, closed);
      increment(counter).launch(stream);
      assertThat(read(counter)).containsExactly(1);
    }
    assertThat(calls).hasValue(0);
    assertThat(listener.hostFailures)
        .extracting(HostFunctionFailure::label)
        .containsExactly("refused");
    assertThat(listener.hostFailures.getFirst().failure())
        .isInstanceOf(RejectedExecutionException.class);
    closed.close();
  }

  @Test
  void aGraphHandsItOverAtEachReplay() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    Graph graph = stream.capture(capture -> stream.launchHost(calls::incrementAndGet, executor));
    awaitTasks();
    assertThat(calls).hasValue(0);
    try (GraphExec exec = graph.instantiate()) {
      graph.close();
      for (int i = 0; i < 3; i++) {
        exec.replay(stream);
      }
      stream.synchronize();
      awaitTasks();
    }
    assertThat(calls).hasValue(3);
  }

  @Test
  void aNodeHandsItOverToo() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    try (Graph graph = device.createGraph("graph")) {
      HostNode node = graph.addHost(HostFunction.handingOff(calls::incrementAndGet, executor));
      try (GraphExec exec = graph.instantiate()) {
        exec.replay(stream);
        exec.set(node, HostFunction.handingOff(() -> calls.addAndGet(10), executor));
        exec.replay(stream);
        stream.synchronize();
        awaitTasks();
      }
    }
    assertThat(calls).hasValue(11);
  }

  /** The executor's thread waits for nothing itself; it is handed what the stream was given. */
  @Test
  @PlantedMistake(kind = ReportKind.STREAM_RACE, why = "the check of the runtime finds it")
  void whatATaskIssuesIsBehindTheWorkBeforeItForTheCheckOfAccesses() throws Exception {
    AccessCheck apart = AccessCheck.REPORT.withThreadsApart();
    try (Device checked =
            Device.open(0, Diagnostics.standard().withListener(listener).withAccessCheck(apart));
        Stream first = checked.createStream("first");
        Stream second = checked.createStream("second");
        DeviceBuffer buffer = checked.allocate("buffer", 4)) {
      first.fill32(buffer, 0, 1, 1);
      first.launchHost(() -> second.fill32(buffer, 0, 1, 2), executor);
      first.synchronize();
      awaitTasks();
      assertThat(listener.unordered).isEmpty();
      second.synchronize();
      second.fill32(buffer, 0, 1, 3);
      first.fill32(buffer, 0, 1, 4);
      Eventually.isTrue("the check is on", () -> listener.unordered.size() == 1);
      checked.synchronize();
    }
  }
}
