package dev.reprise.benchmarks.compare;

import dev.reprise.benchmarks.calls.BindingsCalls;
import dev.reprise.benchmarks.calls.RuntimeCalls;
import java.util.ArrayList;
import java.util.List;

/** All that is compared, in the order of the tables. */
final class Arms {

  private static final String PEERS = "dev.reprise.benchmarks.peers.";
  private static final String SET = ", context set each time";

  /** A binding: its name for the reader and the class of its benchmarks. */
  private record Binding(String name, String benchmarks) {
    boolean isBuilt() {
      String file = "/" + benchmarks.replace('.', '/') + ".class";
      return Arms.class.getResource(file) != null;
    }
  }

  private static final List<Binding> PEER_BINDINGS =
      List.of(
          new Binding("JCuda 12.6.0", PEERS + "JCudaCalls"),
          new Binding("JavaCPP cuda 12.6-1.5.11", PEERS + "JavaCppCalls"),
          new Binding("LWJGL cuda 3.3.6", PEERS + "LwjglCalls"));

  private static final Binding BINDINGS =
      new Binding("Reprise bindings", BindingsCalls.class.getName());

  private static final Binding RUNTIME =
      new Binding("**Reprise runtime**", RuntimeCalls.class.getName());

  private Arms() {}

  /** The arms of what was built; without the profile {@code peers} that is only Reprise and C. */
  static List<Arm> all() {
    List<Binding> bindings = new ArrayList<>(List.of(BINDINGS));
    PEER_BINDINGS.stream().filter(Binding::isBuilt).forEach(bindings::add);
    List<Arm> arms = new ArrayList<>();
    calls(arms, Operation.DOWNCALL, "downcall", bindings);
    launches(arms, Operation.LAUNCH, "launch", bindings);
    launches(arms, Operation.GRAPH_LAUNCH, "graphLaunch", bindings);
    bindings.set(0, RUNTIME);
    starts(arms, Operation.FIRST_CALL, "downcall", "call", bindings);
    starts(arms, Operation.FIRST_LAUNCH, "launch", "launch", bindings);
    return arms;
  }

  private static void calls(
      List<Arm> arms, Operation operation, String method, List<Binding> bindings) {
    arms.add(new PlainArm(operation, "C, linked", "bare", method, true));
    arms.add(new PlainArm(operation, "C, by `dlsym`", "bare", method, false));
    for (Binding binding : bindings) {
      arms.add(new JmhArm(operation, binding.name(), "bare", binding.benchmarks() + "." + method));
    }
  }

  private static void launches(
      List<Arm> arms, Operation operation, String method, List<Binding> bindings) {
    calls(arms, operation, method, bindings);
    String withCurrent = method + "WithCurrent";
    arms.add(new PlainArm(operation, "C, linked" + SET, "set", withCurrent, true));
    for (Binding binding : bindings) {
      arms.add(
          new JmhArm(
              operation, binding.name() + SET, "set", binding.benchmarks() + "." + withCurrent));
    }
    arms.add(
        new JmhArm(operation, RUNTIME.name() + SET, "set", RUNTIME.benchmarks() + "." + method));
  }

  private static void starts(
      List<Arm> arms, Operation operation, String method, String use, List<Binding> bindings) {
    arms.add(new PlainStartArm(new PlainArm(operation, "C, linked", "", method, true)));
    for (boolean cached : new boolean[] {false, true}) {
      String how = cached ? ", AOT cache" : "";
      arms.add(
          new StartArm(operation, "a JVM that does nothing" + how, List.of("nothing"), cached));
      for (Binding binding : bindings) {
        arms.add(
            new StartArm(
                operation, binding.name() + how, List.of(binding.benchmarks(), use), cached));
      }
    }
  }
}
