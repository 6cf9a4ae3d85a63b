package dev.reprise.softgpu.simulation;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.reprise.softgpu.sanitizer.SanitizedProgram;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/** Programs in pairs: one lacks an order that its result depends on, and its twin does not. */
final class OrderedPrograms {

  static final int N = 64;

  /**
   * A pair.
   *
   * @param expected what is right
   * @param mistaken leads to something else in some orders
   * @param right never does
   */
  record Pair(
      int[] expected,
      Function<SanitizedProgram, int[]> mistaken,
      Function<SanitizedProgram, int[]> right) {}

  private OrderedPrograms() {}

  static Map<String, Pair> pairs() {
    Map<String, Pair> all = new TreeMap<>();
    all.put(
        "a wait for an event between two streams",
        new Pair(new int[] {3}, p -> twoStreams(p, false), p -> twoStreams(p, true)));
    all.put(
        "a wait of the next writer for the readers",
        new Pair(new int[] {8}, p -> nextWriter(p, false), p -> nextWriter(p, true)));
    all.put(
        "an edge between two branches of a graph",
        new Pair(new int[] {7}, p -> branches(p, false), p -> branches(p, true)));
    all.put(
        "a barrier between store and load",
        new Pair(reversed(), p -> block(p, "reverse_without_barrier"), p -> block(p, "reverse")));
    all.put(
        "an order between the blocks of a kernel",
        new Pair(new int[] {6}, p -> lastBlock(p, false), p -> lastBlock(p, true)));
    all.put(
        "a wait before a pinned buffer is written again",
        new Pair(new int[] {1, 2}, p -> pinned(p, false), p -> pinned(p, true)));
    all.put(
        "a wait before the result of a copy is read",
        new Pair(new int[] {5}, p -> readBack(p, false), p -> readBack(p, true)));
    return all;
  }

  private static int[] read(SanitizedProgram p, long address, int ints) {
    p.ok("cuCtxSynchronize");
    MemorySegment host = p.pinned(ints);
    p.ok("cuMemcpyDtoH_v2", host, address, 4L * ints);
    return host.toArray(JAVA_INT);
  }

  private static int[] twoStreams(SanitizedProgram p, boolean waits) {
    long one = p.stream();
    long two = p.stream();
    long buffer = p.filled(N);
    long result = p.filled(N);
    long event = p.event();
    p.set(buffer, 2, N, one);
    p.record(event, one);
    if (waits) {
      p.waitFor(two, event);
    }
    p.launch("add", 1, N, 0, two, result, buffer, 1, N);
    return read(p, result, 1);
  }

  private static int[] nextWriter(SanitizedProgram p, boolean waits) {
    long one = p.stream();
    long two = p.stream();
    long buffer = p.filled(N);
    long result = p.filled(N);
    long event = p.event();
    p.set(buffer, 7, N, one);
    p.launch("add", 1, N, 0, one, result, buffer, 1, N);
    p.record(event, one);
    if (waits) {
      p.waitFor(two, event);
    }
    p.set(buffer, 100, N, two);
    return read(p, result, 1);
  }

  private static int[] branches(SanitizedProgram p, boolean ordered) {
    long one = p.stream();
    long two = p.stream();
    long buffer = p.filled(N);
    long result = p.filled(N);
    long fork = p.event();
    long join = p.event();
    p.begin(one);
    if (!ordered) {
      p.record(fork, one);
      p.waitFor(two, fork);
    }
    p.launch("fill", 1, N, 0, one, buffer, 6, N);
    if (ordered) {
      p.record(fork, one);
      p.waitFor(two, fork);
    }
    p.launch("add", 1, N, 0, two, result, buffer, 1, N);
    p.record(join, two);
    p.waitFor(one, join);
    long exec = p.end(one);
    p.replay(exec, one);
    return read(p, result, 1);
  }

  private static int[] lastBlock(SanitizedProgram p, boolean counts) {
    long s = p.stream();
    long out = p.filled(1);
    long parts = p.filled(4);
    long arrived = p.allocate(1);
    p.set(arrived, 0, 1, s);
    if (counts) {
      p.launch("last_block_sums", 4, 32, 0, s, out, parts, arrived);
    } else {
      p.launch("last_block_by_hope", 4, 32, 0, s, out, parts);
    }
    return read(p, out, 1);
  }

  private static int[] reversed() {
    int[] expected = new int[256];
    for (int i = 0; i < expected.length; i++) {
      expected[i] = expected.length - 1 - i;
    }
    return expected;
  }

  private static int[] block(SanitizedProgram p, String kernel) {
    long s = p.stream();
    long buffer = p.filled(256);
    MemorySegment host = p.pinned(256);
    for (int i = 0; i < 256; i++) {
      host.setAtIndex(JAVA_INT, i, i);
    }
    p.upload(buffer, host, s);
    p.launch(kernel, 1, 256, 0, s, buffer);
    return read(p, buffer, 256);
  }

  private static int[] pinned(SanitizedProgram p, boolean waits) {
    long s = p.stream();
    MemorySegment host = p.pinned(1);
    long device = p.filled(2);
    for (int i = 0; i < 2; i++) {
      host.set(JAVA_INT, 0, i + 1);
      p.upload(device + 4L * i, host, s);
      if (waits) {
        p.sync(s);
      }
    }
    return read(p, device, 2);
  }

  private static int[] readBack(SanitizedProgram p, boolean waits) {
    long s = p.stream();
    MemorySegment host = p.pinned(1);
    long device = p.filled(1);
    p.set(device, 5, 1, s);
    p.download(host, device, s);
    if (waits) {
      p.sync(s);
    }
    return new int[] {host.get(JAVA_INT, 0)};
  }

  static List<String> names() {
    return List.copyOf(pairs().keySet());
  }
}
