package dev.reprise.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cuda.diagnostics.UnorderedAccess;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Random programs over three streams, four buffers and three events, beside a reference that keeps
 * every operation and asks for a path in the graph of all of them.
 */
final class RandomOrderTest extends AccessTest {

  private static final int PROGRAMS = 300;
  private static final int STEPS = 40;
  private static final int EVENTS = 3;

  /**
   * One use of the reference: operation {@code node} of the graph, as argument {@code argument}.
   */
  private record Used(int node, int argument, int buffer, long from, long to, boolean writes) {
    boolean conflictsWith(Used other) {
      return buffer == other.buffer
          && (writes || other.writes)
          && from < other.to
          && other.from < to;
    }
  }

  /** Operations and their direct predecessors; a node is known by its number. */
  private static final class Reference {
    private final List<BitSet> before = new ArrayList<>();
    private final List<Used> uses = new ArrayList<>();
    private final int[] last = {-1, -1, -1};
    private final int[] recorded = {-1, -1, -1};
    private int host = -1;

    int node(int... predecessors) {
      BitSet all = new BitSet();
      for (int predecessor : predecessors) {
        if (predecessor >= 0) {
          all.or(before.get(predecessor));
          all.set(predecessor);
        }
      }
      before.add(all);
      return before.size() - 1;
    }

    int onStream(int stream, int alsoBehind) {
      last[stream] = node(last[stream], host, alsoBehind);
      return last[stream];
    }

    boolean isOrdered(Used first, Used second) {
      return first.node() == second.node() || before.get(second.node()).get(first.node());
    }
  }

  @Test
  void reportsAreThoseOfTheReference() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    int reports = 0;
    int clean = 0;
    try (DeviceBuffer c = device.allocate("c", N * 4L);
        DeviceBuffer d = device.allocate("d", N * 4L)) {
      Stream[] streams = {stream, left, right};
      DeviceBuffer[] buffers = {a, b, c, d};
      for (int program = 0; program < PROGRAMS; program++) {
        String name = "seed %d, program %d".formatted(seed, program);
        int found = run(random, streams, buffers, name);
        reports += found;
        clean += found == 0 ? 1 : 0;
      }
    }
    // Else the programs would show nothing.
    assertThat(reports).as("reports of seed %d", seed).isGreaterThan(PROGRAMS);
    assertThat(clean).as("programs without a report of seed %d", seed).isPositive();
  }

  private int run(Random random, Stream[] streams, DeviceBuffer[] buffers, String name) {
    device.synchronize();
    listener.unordered.clear();
    Reference reference = new Reference();
    Set<String> expected = new HashSet<>();
    Event[] events = new Event[EVENTS];
    for (int i = 0; i < EVENTS; i++) {
      events[i] = device.createEvent();
    }
    // Some programs order nearly everything, some hardly anything.
    int useful = 2 + random.nextInt(8);
    for (int step = 0; step < STEPS; step++) {
      int s = random.nextInt(streams.length);
      int e = random.nextInt(EVENTS);
      switch (random.nextInt(useful + 8)) {
        case 0, 1, 2 -> {
          streams[s].record(events[e]);
          reference.recorded[e] = reference.onStream(s, -1);
        }
        case 3, 4, 5 -> {
          streams[s].waitFor(events[e]);
          reference.onStream(s, reference.recorded[e]);
        }
        case 6 -> {
          streams[s].synchronize();
          reference.host = reference.node(reference.host, reference.last[s]);
        }
        case 7 -> {
          events[e].synchronize();
          reference.host = reference.node(reference.host, reference.recorded[e]);
        }
        default -> use(random, streams[s], s, buffers, reference, expected, name);
      }
    }
    for (Event event : events) {
      event.close();
    }
    Set<String> found = new HashSet<>();
    for (UnorderedAccess report : listener.unordered) {
      found.add(report.second().operation() + " " + report.second().argument());
      Used first = find(reference, report.first(), name);
      Used second = find(reference, report.second(), name);
      assertThat(first.conflictsWith(second)).as(name + "\n" + report.describe()).isTrue();
      assertThat(reference.isOrdered(first, second)).as(name + "\n" + report.describe()).isFalse();
    }
    assertThat(found).as(name).isEqualTo(expected);
    return found.size();
  }

  private static void use(
      Random random,
      Stream stream,
      int number,
      DeviceBuffer[] buffers,
      Reference reference,
      Set<String> expected,
      String program) {
    int node = reference.onStream(number, -1);
    // A name of its own, so that each pair is reported.
    String operation = operation(node, program);
    KernelArg[] args = new KernelArg[1 + random.nextInt(2)];
    List<Used> uses = new ArrayList<>();
    for (int i = 0; i < args.length; i++) {
      int buffer = random.nextInt(buffers.length);
      long from = random.nextInt(N);
      long bytes = 1L + random.nextInt(2 * N);
      boolean writes = random.nextInt(3) == 0;
      args[i] =
          writes
              ? KernelArg.readWrite(buffers[buffer], from, bytes)
              : KernelArg.read(buffers[buffer], from, bytes);
      uses.add(new Used(node, i, buffer, from, from + bytes, writes));
    }
    for (Used use : uses) {
      if (reference.uses.stream()
          .anyMatch(earlier -> earlier.conflictsWith(use) && !reference.isOrdered(earlier, use))) {
        expected.add(operation + " " + use.argument());
      }
    }
    reference.uses.addAll(uses);
    stream.declare(operation, () -> {}, args);
  }

  private static String operation(int node, String program) {
    return "operation %d of %s".formatted(node, program);
  }

  private static Used find(Reference reference, UnorderedAccess.Use use, String program) {
    return reference.uses.stream()
        .filter(used ->
            use.operation().equals(operation(used.node(), program))
                && use.argument() == used.argument())
        .findFirst()
        .orElseThrow();
  }
}
