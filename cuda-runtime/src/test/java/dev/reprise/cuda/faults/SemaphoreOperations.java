package dev.reprise.cuda.faults;

import static dev.reprise.cuda.faults.Operation.of;

import dev.reprise.cuda.Descriptors;
import dev.reprise.cuda.ExternalSemaphore;
import dev.reprise.cuda.ExternalSemaphoreKind;
import dev.reprise.cuda.Graph;
import dev.reprise.cuda.GraphExec;
import dev.reprise.cuda.SemaphoreSignalNode;
import dev.reprise.cuda.SemaphoreWaitNode;
import java.util.List;

/** Operations on external semaphores, on streams and in graphs. */
final class SemaphoreOperations {

  private SemaphoreOperations() {}

  /** A semaphore, with a graph that signals it and then waits for it. */
  private static final class Parts {
    final ExternalSemaphore timeline;
    final Graph graph;
    final SemaphoreSignalNode signal;
    final SemaphoreWaitNode wait;
    final GraphExec exec;

    Parts(Workbench bench) {
      timeline = bench.keep(make(bench));
      graph = bench.keep(bench.device.createGraph("graph"));
      signal = graph.addSignal(timeline, 1);
      wait = graph.addWait(timeline, 1, signal);
      exec = bench.keep(graph.instantiate());
    }
  }

  private interface Use {
    void of(Workbench bench, Parts parts);
  }

  private static ExternalSemaphore make(Workbench bench) {
    return bench.device.importSemaphore(
        "timeline", ExternalSemaphoreKind.TIMELINE_FD, Descriptors.file());
  }

  private static Operation parts(String name, Use use) {
    return of(
        name,
        bench -> {
          Parts parts = new Parts(bench);
          return () -> use.of(bench, parts);
        });
  }

  static List<Operation> all() {
    return List.of(
        of("Device.importSemaphore", bench -> () -> bench.keep(make(bench))),
        parts("Stream.signal", (bench, p) -> bench.stream.signal(p.timeline, 1)),
        parts("Stream.waitFor a semaphore", (bench, p) -> bench.stream.waitFor(p.timeline, 0)),
        parts("Graph.addSignal", (bench, p) -> p.graph.addSignal(p.timeline, 2, p.wait)),
        parts("Graph.addWait for a semaphore", (bench, p) -> p.graph.addWait(p.timeline, 2)),
        parts("SemaphoreSignalNode.set", (bench, p) -> p.signal.set(p.timeline, 3)),
        parts("SemaphoreWaitNode.set", (bench, p) -> p.wait.set(p.timeline, 3)),
        parts("GraphExec.set of a signal", (bench, p) -> p.exec.set(p.signal, p.timeline, 3)),
        parts(
            "GraphExec.set of a semaphore's wait",
            (bench, p) -> p.exec.set(p.wait, p.timeline, 3)));
  }
}
