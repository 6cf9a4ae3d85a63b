package dev.reprise.cuda;

import static dev.reprise.cuda.diagnostics.UnorderedAccess.Kind.READ_WRITE;
import static dev.reprise.cuda.diagnostics.UnorderedAccess.Kind.WRITE_READ;
import static dev.reprise.cuda.diagnostics.UnorderedAccess.Kind.WRITE_WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cuda.diagnostics.UnorderedAccess;
import dev.reprise.softgpu.junit.PlantedMistake;
import dev.reprise.softgpu.sanitizer.ReportKind;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Orders in graphs, and between replays and streams, that are missing, each with its twin. */
final class UnorderedGraphTest extends AccessTest {

  @Test
  void twoBranchesOfACapture() {
    stream
        .capture(
            "branches",
            capture -> {
              capture.fork(left);
              capture.fork(right);
              fill(a, 1, N).launch(left);
              right.copy(a, 0, b, 0, 64);
              capture.join(left);
              capture.join(right);
            })
        .close();
    assertFound(
        WRITE_READ,
        "a",
        "kernel fill on stream 'left', argument 0, write of bytes 0 to 64",
        "Stream.copy on stream 'right', argument 1, read of bytes 0 to 64");
    assertThat(found().remedy()).startsWith("No path in graph 'branches' leads from the one");
  }

  @Test
  void twoBranchesOfACaptureThatAreJoined() {
    try (Graph graph =
            stream.capture(capture -> {
              capture.fork(left);
              fill(a, 1, N).launch(left);
              capture.fork(left, right);
              right.copy(a, 0, b, 0, 64);
              capture.join(right);
              capture.join(left);
              increment(a).launch(stream);
            });
        GraphExec exec = graph.instantiate()) {
      exec.replay(stream);
      stream.synchronize();
    }
    assertNothingFound();
  }

  @Test
  void branchesOnHalvesOfABuffer() {
    stream
        .capture(capture -> {
          capture.fork(left);
          left.fill32(a, 0, N / 2, 1);
          stream.fill32(a, 32, N / 2, 1);
          capture.join(left);
        })
        .close();
    assertNothingFound();
  }

  @Test
  void nodesWithoutAnEdge() {
    try (Graph graph = device.createGraph("explicit")) {
      FillNode zero = graph.addFill(FillOperation.of32(a, 0, N, 0));
      KernelNode count = graph.addKernel(increment(a));
      graph.instantiate().close();
      assertFound(
          WRITE_WRITE,
          "a",
          "fill, argument 0, write of bytes 0 to 64",
          "kernel increment, argument 0, read-write of bytes 0 to 64");
      listener.unordered.clear();
      graph.addEdge(zero, count);
      graph.instantiate().close();
      assertNothingFound();
    }
  }

  @Test
  void nodesOfAChildGraph() {
    try (Graph child = device.createGraph("child");
        Graph parent = device.createGraph("parent")) {
      child.addFill(FillOperation.of32(a, 0, N, 0));
      child.addKernel(increment(a));
      ChildGraphNode node = parent.addChild(child);
      assertThat(found().remedy()).contains("graph 'child'");
      listener.unordered.clear();
      parent.addFill(FillOperation.of32(b, 0, N, 0), node);
      parent.instantiate().close();
      assertNothingFound();
      parent.addCopy(CopyOperation.onDevice(a, 0, b, 0, 64));
      parent.instantiate().close();
      assertThat(listener.unordered).isNotEmpty();
    }
  }

  @Test
  @PlantedMistake(kind = ReportKind.STREAM_RACE, why = FOUND)
  void aReplayAndALaunch() {
    try (Graph graph = stream.capture("step", capture -> fill(a, 1, N).launch(stream));
        GraphExec exec = graph.instantiate()) {
      exec.replay(left);
      right.copy(a, 0, b, 0, 64);
      assertFound(
          WRITE_READ,
          "a",
          "kernel fill in a replay of graph 'step' on stream 'left', argument 0, write of bytes 0 to 64",
          "Stream.copy on stream 'right', argument 1, read of bytes 0 to 64");
      // Where it was replayed, and where it was captured.
      assertShowsTest(Objects.requireNonNull(found().first().site().getCause()));
      listener.unordered.clear();
      order(left, right);
      right.copy(a, 0, b, 0, 64);
      order(right, left);
      exec.replay(left);
      left.synchronize();
      assertNothingFound();
    }
  }

  @Test
  @PlantedMistake(kind = ReportKind.STREAM_RACE, why = FOUND)
  void twoExecsThatShareAWorkspace() {
    try (Graph one = stream.capture("one", capture -> fill(a, 1, N).launch(stream));
        Graph other = stream.capture("other", capture -> stream.copy(a, 0, b, 0, 64));
        GraphExec first = one.instantiate();
        GraphExec second = other.instantiate()) {
      second.replay(right);
      first.replay(left);
      assertFound(
          READ_WRITE,
          "a",
          "Stream.copy in a replay of graph 'other' on stream 'right', argument 1, read of bytes 0 to 64",
          "kernel fill in a replay of graph 'one' on stream 'left', argument 0, write of bytes 0 to 64");
      listener.unordered.clear();
      order(left, right);
      second.replay(right);
      right.synchronize();
      assertNothingFound();
    }
  }

  @Test
  void replaysOfOneExecRunOneAfterTheOther() {
    try (Graph graph = stream.capture(capture -> increment(a).launch(stream));
        GraphExec exec = graph.instantiate()) {
      exec.replay(left);
      exec.replay(right);
      increment(a).launch(right);
      device.synchronize();
    }
    assertNothingFound();
  }

  @Test
  @PlantedMistake(kind = ReportKind.STREAM_RACE, why = FOUND)
  void whatAnExecWasChangedTo() {
    try (Graph graph = device.createGraph("changed")) {
      KernelNode node = graph.addKernel(increment(a));
      try (GraphExec exec = graph.instantiate()) {
        left.fill32(a, 0, N, 1);
        exec.set(node, increment(b));
        exec.replay(right);
        assertNothingFound();
        exec.setEnabled(node, false);
        left.fill32(b, 0, N, 1);
        exec.replay(right);
        assertThat(found().second().operation()).isEqualTo("Stream.fill32");
        listener.unordered.clear();
        device.synchronize();
        left.fill32(b, 0, N, 1);
        exec.replay(right);
        assertNothingFound();
        exec.setEnabled(node, true);
        exec.replay(right);
        assertThat(found().second().operation())
            .isEqualTo("kernel increment in a replay of graph 'changed'");
        device.synchronize();
      }
    }
  }

  @Test
  @PlantedMistake(kind = ReportKind.STREAM_RACE, why = FOUND)
  void eventsOfAGraph() {
    try (Event begin = device.createEvent("begin");
        Event end = device.createEvent("end");
        Graph graph = device.createGraph("events")) {
      EventWaitNode wait = graph.addWait(begin);
      KernelNode work = graph.addKernel(increment(a), wait);
      graph.addRecord(end, work);
      try (GraphExec exec = graph.instantiate()) {
        left.fill32(a, 0, N, 1);
        left.record(begin);
        exec.replay(stream);
        right.waitFor(end);
        right.fill32(a, 0, N, 2);
        assertNothingFound();
        exec.replay(stream);
        assertThat(found().second().stream()).isEqualTo("main");
        device.synchronize();
      }
    }
  }

  @Test
  void aHostNodeThatTellsAThread() throws InterruptedException {
    CountDownLatch done = new CountDownLatch(1);
    try (Graph graph =
            stream.capture(capture -> {
              increment(a).launch(stream);
              stream.launchHost(done::countDown);
            });
        GraphExec exec = graph.instantiate()) {
      exec.replay(left);
      done.await();
      increment(a).launch(right);
      device.synchronize();
    }
    assertNothingFound();
  }

  @Test
  void hiddenWorkInACapture() {
    PreparedLaunch hidden =
        module
            .kernel("fill")
            .prepare(
                LaunchConfig.covering(N, 64),
                KernelArg.i64(a.address()),
                KernelArg.i32(1),
                KernelArg.i32(N));
    stream
        .capture(capture -> {
          capture.fork(left);
          left.declare("hidden fill", () -> hidden.launch(left), KernelArg.write(a));
          increment(a).launch(stream);
          capture.join(left);
        })
        .close();
    UnorderedAccess found = found();
    assertThat(found.kind()).isEqualTo(WRITE_WRITE);
    assertThat(found.first().operation()).isEqualTo("hidden fill");
  }
}
