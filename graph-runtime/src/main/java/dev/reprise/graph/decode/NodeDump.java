package dev.reprise.graph.decode;

import dev.reprise.cuda.CapturedPointer;
import dev.reprise.cuda.CopyNode;
import dev.reprise.cuda.FillNode;
import dev.reprise.cuda.Graph;
import dev.reprise.cuda.GraphNode;
import dev.reprise.cuda.KernelNode;
import dev.reprise.cuda.LaunchConfig;
import dev.reprise.kernels.Kernels;
import dev.reprise.kernels.contract.KernelContract;
import dev.reprise.kernels.contract.Parameter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The nodes of a captured step in an order in which they may run, each as one line, with names in
 * the place of addresses: two captures of the same step give the same lines, in one process or in
 * two, wherever the memory lies.
 *
 * <p>A kernel is told by name, geometry, the memory and the numbers that it is given, a copy by
 * target, source and bytes, a fill by target and value. Numbers of kernels without a contract are
 * not told, nor any where the driver does not tell the parameters of kernels (before CUDA 12.4).
 *
 * @param lines one for each node
 */
public record NodeDump(List<String> lines) {

  /** Copies the list. */
  public NodeDump {
    lines = List.copyOf(lines);
  }

  /** Dumps a graph. */
  static NodeDump of(Graph graph, MemoryNames names) {
    List<GraphNode> nodes = inOrder(graph.nodes());
    Map<GraphNode, Integer> numbers = new HashMap<>();
    List<String> lines = new ArrayList<>();
    for (GraphNode node : nodes) {
      int number = numbers.size();
      numbers.put(node, number);
      lines.add(number + " " + line(node, names) + after(node, number, numbers));
    }
    return new NodeDump(lines);
  }

  /** Dependencies first; otherwise as the driver lists them. */
  private static List<GraphNode> inOrder(List<GraphNode> nodes) {
    Map<GraphNode, Integer> missing = new LinkedHashMap<>();
    Deque<GraphNode> ready = new ArrayDeque<>();
    for (GraphNode node : nodes) {
      int dependencies = node.dependencies().size();
      missing.put(node, dependencies);
      if (dependencies == 0) {
        ready.add(node);
      }
    }
    List<GraphNode> ordered = new ArrayList<>();
    while (!ready.isEmpty()) {
      GraphNode node = ready.remove();
      ordered.add(node);
      for (GraphNode next : node.dependents()) {
        if (missing.merge(next, -1, Integer::sum) == 0) {
          ready.add(next);
        }
      }
    }
    return ordered;
  }

  /** A chain is the usual case and is not told. */
  private static String after(GraphNode node, int number, Map<GraphNode, Integer> numbers) {
    List<Integer> before = node.dependencies().stream().map(numbers::get).sorted().toList();
    boolean chain = number == 0 ? before.isEmpty() : before.equals(List.of(number - 1));
    return chain ? "" : " after " + before;
  }

  private static String line(GraphNode node, MemoryNames names) {
    return switch (node) {
      case KernelNode kernel -> kernel(kernel, names);
      case CopyNode copy -> "copy of %d bytes%s".formatted(copy.bytes(), pointers(copy, names));
      case FillNode fill -> {
        FillNode.Parameters p = fill.parameters();
        yield "fill of %d x %d bytes with 0x%x%s"
            .formatted(p.count(), p.elementBytes(), p.value(), pointers(fill, names));
      }
      default -> node.type() + pointers(node, names);
    };
  }

  private static String kernel(KernelNode node, MemoryNames names) {
    String name =
        node.kernelName()
            .or(() -> node.pointers().stream().map(CapturedPointer::operation).findFirst())
            .orElse("?");
    LaunchConfig c = node.config();
    StringBuilder line =
        new StringBuilder(
            "%s grid %dx%dx%d block %dx%dx%d shared %d"
                .formatted(
                    name,
                    c.gridX(),
                    c.gridY(),
                    c.gridZ(),
                    c.blockX(),
                    c.blockY(),
                    c.blockZ(),
                    c.dynamicSharedBytes()));
    for (CapturedPointer pointer : node.pointers()) {
      line.append(' ')
          .append(argument(name, pointer.argument()))
          .append(
              switch (pointer.access()) {
                case READ -> "=";
                case WRITE -> ":=";
                case READ_WRITE -> "~";
              })
          .append(names.of(pointer));
    }
    numbers(name, node).forEach(number -> line.append(' ').append(number));
    return line.toString();
  }

  private static List<String> numbers(String kernel, KernelNode node) {
    List<Parameter> parameters = parameters(kernel);
    List<String> numbers = new ArrayList<>();
    for (int i = 0; i < parameters.size(); i++) {
      switch (parameters.get(i)) {
        case Parameter.Buffer buffer -> {}
        case Parameter.Int number ->
            node.argument(i).ifPresent(bits -> numbers.add(number.name() + "=" + bits));
        case Parameter.Real number ->
            node.argument(i)
                .ifPresent(bits -> numbers.add(number.name() + "=" + Float.intBitsToFloat(bits)));
      }
    }
    return numbers;
  }

  private static List<Parameter> parameters(String kernel) {
    return Kernels.contracts().stream()
        .filter(contract -> contract.name().equals(kernel))
        .map(KernelContract::parameters)
        .findFirst()
        .orElse(List.of());
  }

  private static String argument(String kernel, int index) {
    List<Parameter> parameters = parameters(kernel);
    return index < parameters.size() ? parameters.get(index).name() : "#" + index;
  }

  private static String pointers(GraphNode node, MemoryNames names) {
    StringBuilder text = new StringBuilder();
    for (CapturedPointer pointer : node.pointers()) {
      text.append(pointer.access() == dev.reprise.cuda.Access.READ ? " from " : " to ")
          .append(names.of(pointer));
    }
    return text.toString();
  }

  /**
   * What differs from another dump, line by line: {@code -} has what is here, {@code +} what is
   * there. Empty if nothing does.
   */
  public List<String> differences(NodeDump other) {
    List<String> differences = new ArrayList<>();
    for (int i = 0; i < Math.max(lines.size(), other.lines.size()); i++) {
      String here = i < lines.size() ? lines.get(i) : "";
      String there = i < other.lines.size() ? other.lines.get(i) : "";
      if (!here.equals(there)) {
        differences.add("- " + here);
        differences.add("+ " + there);
      }
    }
    return differences;
  }

  @Override
  public String toString() {
    return String.join("\n", lines);
  }
}
