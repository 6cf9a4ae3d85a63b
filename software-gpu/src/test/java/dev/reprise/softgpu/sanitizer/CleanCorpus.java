package dev.reprise.softgpu.sanitizer;

import static dev.reprise.softgpu.sanitizer.Corpus.N;
import static dev.reprise.softgpu.sanitizer.Corpus.onOneBlock;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/** Programs without a mistake, each like one of {@link Corpus}. */
final class CleanCorpus {

  private CleanCorpus() {}

  static Map<String, Consumer<SanitizedProgram>> clean() {
    Map<String, Consumer<SanitizedProgram>> all = new TreeMap<>();
    all.put("a tail tile", p -> onOneBlock(p, "fill", 256, 1, 256));
    all.put("a tile of shared memory", p -> onOneBlock(p, "reverse", 256));
    all.put("a loop with two barriers", p -> onOneBlock(p, "rounds", 256, 3));
    all.put("one store at a time", p -> onOneBlock(p, "one_winner", 64));
    all.put("a histogram", p -> onOneBlock(p, "histogram", 64, p.filled(64)));
    all.put("a warp that waits", p -> onOneBlock(p, "warp_sum", 32, p.filled(32)));
    all.put("a tile that is loaded", p -> onOneBlock(p, "partly_loaded", 64, p.filled(64), 64));
    all.put("a shuffle of all lanes", p -> onOneBlock(p, "own_lanes", 32));
    all.put(
        "shared memory in bounds",
        p -> {
          long s = p.stream();
          p.launch("beyond_shared", 1, 32, 128, s, p.allocate(N), 0);
          p.sync(s);
        });
    all.put(
        "an event between two streams",
        p -> {
          long one = p.stream();
          long two = p.stream();
          long buffer = p.allocate(N);
          long event = p.event();
          p.launch("fill", 1, N, 0, one, buffer, 1, N);
          p.record(event, one);
          p.waitFor(two, event);
          p.launch("add", 1, N, 0, two, p.allocate(N), buffer, 1, N);
          p.sync(two);
        });
    all.put(
        "the program between two streams",
        p -> {
          long one = p.stream();
          long two = p.stream();
          long buffer = p.allocate(N);
          p.launch("fill", 1, N, 0, one, buffer, 1, N);
          p.sync(one);
          p.launch("add", 1, N, 0, two, p.allocate(N), buffer, 1, N);
          p.sync(two);
          p.launch("fill", 1, N, 0, one, buffer, 1, N);
          p.sync(one);
        });
    all.put(
        "two readers in two streams",
        p -> {
          long one = p.stream();
          long two = p.stream();
          long buffer = p.filled(N);
          p.launch("add", 1, N, 0, one, p.allocate(N), buffer, 1, N);
          p.launch("add", 1, N, 0, two, p.allocate(N), buffer, 1, N);
          p.sync(one);
          p.sync(two);
        });
    all.put(
        "two halves of a buffer in two streams",
        p -> {
          long one = p.stream();
          long two = p.stream();
          long buffer = p.allocate(N + 1);
          p.launch("fill", 1, N, 0, one, buffer, 1, 31);
          p.launch("fill", 1, N, 0, two, buffer + 4 * 31, 1, N + 1 - 31);
          p.sync(one);
          p.sync(two);
        });
    all.put(
        "atomic updates in two streams",
        p -> {
          long one = p.stream();
          long two = p.stream();
          long counter = p.filled(1);
          p.launch("count_up", 1, 32, 0, one, counter);
          p.launch("count_up", 1, 32, 0, two, counter);
          p.sync(one);
          p.sync(two);
        });
    all.put(
        "a free that waits for the other stream",
        p -> {
          long one = p.stream();
          long two = p.stream();
          long event = p.event();
          long buffer = p.allocateAsync(N, one);
          p.sync(one);
          p.launch("fill", 1, N, 0, two, buffer, 1, N);
          p.record(event, two);
          p.waitFor(one, event);
          p.freeAsync(buffer, one);
          p.sync(one);
        });
    all.put(
        "a graph with a fork and a join, twice",
        p -> {
          long one = p.stream();
          long two = p.stream();
          long buffer = p.filled(N);
          long a = p.allocate(N);
          long b = p.allocate(N);
          long fork = p.event();
          long join = p.event();
          p.begin(one);
          p.launch("fill", 1, N, 0, one, buffer, 1, N);
          p.record(fork, one);
          p.waitFor(two, fork);
          p.launch("add", 1, N, 0, one, a, buffer, 1, N);
          p.launch("add", 1, N, 0, two, b, buffer, 1, N);
          p.record(join, two);
          p.waitFor(one, join);
          p.launch("add", 1, N, 0, one, buffer, b, 1, N);
          long exec = p.end(one);
          p.replay(exec, one);
          p.replay(exec, two);
          p.sync(two);
        });
    all.put(
        "a pinned buffer that is waited for",
        p -> {
          long s = p.stream();
          MemorySegment host = p.pinned(N);
          long device = p.allocate(N);
          long event = p.event();
          for (int i = 0; i < 4; i++) {
            host.set(JAVA_INT, 0, i);
            p.upload(device, host, s);
            p.record(event, s);
            p.ok("cuEventSynchronize", event);
          }
        });
    all.put(
        "a pinned buffer that the device writes",
        p -> {
          long s = p.stream();
          MemorySegment host = p.pinned(N);
          long device = p.filled(N);
          p.download(host, device, s);
          p.upload(device, host, s);
          p.sync(s);
        });
    all.put(
        "a pinned buffer that a host function writes",
        p -> {
          long s = p.stream();
          MemorySegment host = p.pinned(N);
          long device = p.allocate(N);
          p.hostFunction(s, () -> host.set(JAVA_INT, 0, 9));
          p.upload(device, host, s);
          p.sync(s);
        });
    all.put(
        "a copy of a part that was written",
        p -> {
          long s = p.stream();
          long from = p.allocate(N);
          long to = p.allocate(N);
          p.set(from, 1, 10, s);
          p.copy(to, from, N, s);
          p.launch("add", 1, N, 0, s, p.allocate(N), to, 1, 10);
          p.sync(s);
        });
    CleanKernels.addTo(all);
    CleanHosts.addTo(all);
    OrderPrograms.addClean(all);
    PeerPrograms.addClean(all);
    HostNodePrograms.addClean(all);
    return all;
  }
}
