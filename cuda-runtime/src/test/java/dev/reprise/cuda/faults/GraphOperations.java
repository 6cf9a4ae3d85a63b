package dev.reprise.cuda.faults;

import static dev.reprise.cuda.faults.Operation.closing;
import static dev.reprise.cuda.faults.Operation.of;
import static dev.reprise.cuda.faults.Workbench.BYTES;

import dev.reprise.cuda.ChildGraphNode;
import dev.reprise.cuda.CopyNode;
import dev.reprise.cuda.CopyOperation;
import dev.reprise.cuda.Device;
import dev.reprise.cuda.Event;
import dev.reprise.cuda.EventRecordNode;
import dev.reprise.cuda.EventWaitNode;
import dev.reprise.cuda.FillNode;
import dev.reprise.cuda.FillOperation;
import dev.reprise.cuda.Graph;
import dev.reprise.cuda.GraphExec;
import dev.reprise.cuda.HostNode;
import dev.reprise.cuda.InstantiateOptions;
import dev.reprise.cuda.KernelNode;
import dev.reprise.cuda.PreparedLaunch;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

/** Operations of graphs, their nodes and executable graphs. */
final class GraphOperations {

  private GraphOperations() {}

  static List<Operation> all() {
    return Stream.of(building(), graphs(), nodes(), execs(), changes())
        .flatMap(List::stream)
        .toList();
  }

  /** A graph with a node of each kind, built by hand. */
  static final class Parts {
    final Graph graph;
    final PreparedLaunch launch;
    final Event event;
    final KernelNode kernel;
    final CopyNode copy;
    final FillNode fill;
    final HostNode host;
    final ChildGraphNode child;
    final EventRecordNode record;
    final EventWaitNode wait;
    final Graph small;

    Parts(Workbench bench) {
      graph = bench.keep(bench.device.createGraph("graph"));
      small = bench.keep(bench.device.createGraph("small"));
      small.addFill(fillOf(bench));
      launch = bench.fill(bench.a, 1);
      event = bench.keep(bench.device.createEvent("event"));
      kernel = graph.addKernel(launch);
      copy = graph.addCopy(copyOf(bench), kernel);
      fill = graph.addFill(fillOf(bench), copy);
      host = graph.addHost(() -> {}, fill);
      child = graph.addChild(small, host);
      record = graph.addRecord(event, child);
      wait = graph.addWait(event, record);
    }
  }

  private static CopyOperation copyOf(Workbench bench) {
    return CopyOperation.toHost(bench.a, 0, bench.pinned, 0, BYTES);
  }

  private static FillOperation fillOf(Workbench bench) {
    return FillOperation.of32(bench.b, 0, 4, 7);
  }

  private static Operation parts(String name, BiConsumer<Workbench, Parts> use) {
    return of(
        name,
        bench -> {
          Parts parts = new Parts(bench);
          return () -> use.accept(bench, parts);
        });
  }

  private static Operation closingParts(String name, BiConsumer<Workbench, Parts> use) {
    return closing(name, parts(name, use).prepare());
  }

  private static List<Operation> building() {
    return List.of(
        parts("Graph.addKernel", (bench, p) -> p.graph.addKernel(p.launch, p.kernel)),
        parts("Graph.addCopy", (bench, p) -> p.graph.addCopy(copyOf(bench), p.kernel)),
        parts("Graph.addFill", (bench, p) -> p.graph.addFill(fillOf(bench))),
        parts("Graph.addHost", (bench, p) -> p.graph.addHost(() -> {})),
        of(
            "Graph.addAllocation",
            bench -> {
              Graph graph = bench.keep(bench.device.createGraph("graph"));
              return () -> graph.addAllocation("made", 64);
            }),
        of(
            "Graph.addAllocation for a peer",
            bench -> {
              Device peer = bench.keep(Device.open(1));
              Graph graph = bench.keep(bench.device.createGraph("graph"));
              return () -> graph.addAllocation("made", 64, List.of(peer));
            }),
        parts("Graph.addEmpty", (bench, p) -> p.graph.addEmpty(p.kernel, p.copy)),
        closingParts("Graph.addChild", (bench, p) -> p.graph.addChild(p.small)),
        parts("Graph.addRecord", (bench, p) -> p.graph.addRecord(p.event)),
        parts("Graph.addWait", (bench, p) -> p.graph.addWait(p.event)),
        parts("Graph.addEdge", (bench, p) -> p.graph.addEdge(p.kernel, p.wait)),
        parts("Graph.removeEdge", (bench, p) -> p.graph.removeEdge(p.kernel, p.copy)));
  }

  private static List<Operation> graphs() {
    return List.of(
        parts("Graph.nodeCount", (bench, p) -> p.graph.nodeCount()),
        parts("Graph.nodes", (bench, p) -> p.graph.nodes()),
        of(
            "Graph.nodes of a capture",
            bench -> {
              Graph graph =
                  bench.keep(
                      bench.stream.capture(capture -> bench.stream.fill32(bench.a, 0, 1, 1)));
              return graph::nodes;
            }),
        parts("Graph.copy", (bench, p) -> bench.keep(p.graph.copy("copy"))),
        parts("Graph.instantiate", (bench, p) -> bench.keep(p.graph.instantiate())),
        parts(
            "Graph.instantiate with upload",
            (bench, p) ->
                bench.keep(
                    p.graph.instantiate(InstantiateOptions.standard().withUploadOn(bench.stream)))),
        parts("Graph.toDot", (bench, p) -> p.graph.toDot()));
  }

  private static List<Operation> nodes() {
    return List.of(
        parts("GraphNode.dependencies", (bench, p) -> p.copy.dependencies()),
        parts("GraphNode.dependents", (bench, p) -> p.copy.dependents()),
        parts("GraphNode.remove", (bench, p) -> p.fill.remove()),
        parts("KernelNode.config", (bench, p) -> p.kernel.config()),
        parts("KernelNode.kernelName", (bench, p) -> p.kernel.kernelName()),
        parts("KernelNode.set", (bench, p) -> p.kernel.set(p.launch)),
        parts("CopyNode.bytes", (bench, p) -> p.copy.bytes()),
        parts("CopyNode.set", (bench, p) -> p.copy.set(copyOf(bench))),
        parts("FillNode.parameters", (bench, p) -> p.fill.parameters()),
        parts("FillNode.set", (bench, p) -> p.fill.set(fillOf(bench))),
        parts("HostNode.function", (bench, p) -> p.host.function()),
        parts("HostNode.set", (bench, p) -> p.host.set(() -> {})),
        parts("ChildGraphNode.nodes", (bench, p) -> p.child.nodes()),
        parts("EventRecordNode.set", (bench, p) -> p.record.set(p.event)),
        parts("EventWaitNode.set", (bench, p) -> p.wait.set(p.event)));
  }

  private interface ExecUse {
    void use(Workbench bench, Parts parts, GraphExec exec);
  }

  private static Operation exec(String name, ExecUse use) {
    return of(
        name,
        bench -> {
          Parts parts = new Parts(bench);
          GraphExec exec = bench.keep(parts.graph.instantiate());
          return () -> use.use(bench, parts, exec);
        });
  }

  private static Operation closingExec(String name, ExecUse use) {
    return closing(name, exec(name, use).prepare());
  }

  private static List<Operation> execs() {
    return List.of(
        exec("GraphExec.upload", (bench, p, exec) -> exec.upload(bench.stream)),
        exec("GraphExec.replay", (bench, p, exec) -> exec.replay(bench.stream)),
        exec("GraphExec.update", (bench, p, exec) -> exec.update(p.graph)),
        exec("GraphExec.update that does not fit", (bench, p, exec) -> exec.update(p.small)),
        exec("GraphExec.renew", (bench, p, exec) -> exec.renew(p.graph)),
        closing(
            "GraphExec.renew that does not fit",
            bench -> {
              Parts parts = new Parts(bench);
              return () -> {
                // Another each time, since renewing closes it.
                GraphExec exec = parts.graph.instantiate();
                try {
                  bench.keep(exec.renew(parts.small).exec());
                } catch (RuntimeException e) {
                  exec.close();
                  throw e;
                }
              };
            }));
  }

  private static List<Operation> changes() {
    return List.of(
        exec("GraphExec.set of a kernel", (bench, p, exec) -> exec.set(p.kernel, p.launch)),
        exec("GraphExec.set of a copy", (bench, p, exec) -> exec.set(p.copy, copyOf(bench))),
        exec("GraphExec.set of a fill", (bench, p, exec) -> exec.set(p.fill, fillOf(bench))),
        exec("GraphExec.set of a host function", (bench, p, exec) -> exec.set(p.host, () -> {})),
        closingExec("GraphExec.set of a child", (bench, p, exec) -> exec.set(p.child, p.small)),
        exec("GraphExec.set of a record", (bench, p, exec) -> exec.set(p.record, p.event)),
        exec("GraphExec.set of a wait", (bench, p, exec) -> exec.set(p.wait, p.event)),
        exec("GraphExec.setEnabled", (bench, p, exec) -> exec.setEnabled(p.fill, false)),
        exec("GraphExec.isEnabled", (bench, p, exec) -> exec.isEnabled(p.fill)));
  }
}
