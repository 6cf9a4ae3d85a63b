package dev.reprise.softgpu.sanitizer;

import static dev.reprise.softgpu.sanitizer.Corpus.N;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.function.Consumer;

/** Programs without a mistake, each like one of {@link HostMistakes}. */
final class CleanHosts {

  private CleanHosts() {}

  static void addTo(Map<String, Consumer<SanitizedProgram>> all) {
    streams(all);
    graphs(all);
    memory(all);
    hostBuffers(all);
  }

  private static void streams(Map<String, Consumer<SanitizedProgram>> all) {
    all.put("a copy of the input before its step", p -> copied(p, true, false));
    all.put("a step before the next copy of its input", p -> copied(p, true, true));
    all.put(
        "a result that is copied out behind its step",
        p -> {
          long copies = p.stream();
          long steps = p.stream();
          long result = p.filled(N);
          long done = p.event();
          p.launch("fill", 1, N, 0, steps, result, 2, N);
          p.record(done, steps);
          p.waitFor(copies, done);
          p.download(p.pinned(N), result, copies);
          p.sync(copies);
        });
    all.put(
        "waits in a chain of three streams",
        p -> {
          long buffer = p.filled(N);
          long before = p.stream();
          for (int i = 0; i < 3; i++) {
            long next = p.stream();
            long event = p.event();
            p.set(buffer, i, N, before);
            p.record(event, before);
            p.waitFor(next, event);
            before = next;
          }
          p.set(buffer, 9, N, before);
          p.sync(before);
        });
    all.put(
        "an event that is recorded again",
        p -> {
          long one = p.stream();
          long two = p.stream();
          long buffer = p.filled(N);
          long event = p.event();
          for (int i = 0; i < 3; i++) {
            p.set(buffer, i, N, one);
            p.record(event, one);
            p.waitFor(two, event);
            p.launch("add", 1, N, 0, two, p.allocate(N), buffer, 1, N);
            p.record(event, two);
            p.waitFor(one, event);
          }
          p.sync(one);
          p.sync(two);
        });
    all.put(
        "a query that finds the stream done",
        p -> {
          long one = p.stream();
          long two = p.stream();
          long buffer = p.filled(N);
          p.set(buffer, 2, N, one);
          p.sync(one);
          p.ok("cuStreamQuery", one);
          p.set(buffer, 3, N, two);
          p.sync(two);
        });
    all.put(
        "the whole context waited for between two streams",
        p -> {
          long one = p.stream();
          long two = p.stream();
          long buffer = p.filled(N);
          p.set(buffer, 2, N, one);
          p.ok("cuCtxSynchronize");
          p.set(buffer, 3, N, two);
          p.ok("cuCtxSynchronize");
        });
  }

  private static void copied(SanitizedProgram p, boolean before, boolean again) {
    long copies = p.stream();
    long steps = p.stream();
    long input = p.filled(N);
    long event = p.event();
    p.upload(input, p.pinned(N), copies);
    if (before) {
      p.record(event, copies);
      p.waitFor(steps, event);
    }
    p.launch("add", 1, N, 0, steps, p.allocate(N), input, 1, N);
    if (again) {
      p.record(event, steps);
      p.waitFor(copies, event);
      p.upload(input, p.pinned(N), copies);
    }
    p.sync(copies);
    p.sync(steps);
  }

  private static void graphs(Map<String, Consumer<SanitizedProgram>> all) {
    all.put(
        "branches of a graph on buffers of their own",
        p -> {
          long one = p.stream();
          long two = p.stream();
          long a = p.filled(N);
          long b = p.filled(N);
          long fork = p.event();
          long join = p.event();
          p.begin(one);
          p.record(fork, one);
          p.waitFor(two, fork);
          p.set(a, 2, N, one);
          p.set(b, 3, N, two);
          p.record(join, two);
          p.waitFor(one, join);
          p.launch("add", 1, N, 0, one, a, b, 1, N);
          long exec = p.end(one);
          p.replay(exec, one);
          p.sync(one);
        });
    all.put("one graph replayed in a row", p -> replays(p, 4, false));
    all.put("plain work behind a replay in its stream", p -> replays(p, 1, true));
    all.put(
        "two graphs on one workspace in one stream",
        p -> {
          long s = p.stream();
          long workspace = p.filled(N);
          p.begin(s);
          p.set(workspace, 1, N, s);
          long first = p.end(s);
          p.begin(s);
          p.set(workspace, 2, N, s);
          long second = p.end(s);
          p.replay(first, s);
          p.replay(second, s);
          p.sync(s);
        });
    all.put(
        "a workspace that lives as long as its graph",
        p -> {
          long s = p.stream();
          long workspace = p.filled(N);
          p.begin(s);
          p.set(workspace, 1, N, s);
          long exec = p.end(s);
          p.replay(exec, s);
          p.sync(s);
          p.ok("cuGraphExecDestroy", exec);
          p.free(workspace);
        });
    all.put(
        "a graph that is captured anew when its workspace moves",
        p -> {
          long s = p.stream();
          for (int i = 1; i <= 2; i++) {
            long workspace = p.allocate(i * N);
            p.begin(s);
            p.set(workspace, 1, N, s);
            long exec = p.end(s);
            p.replay(exec, s);
            p.sync(s);
            p.free(workspace);
          }
        });
  }

  private static void replays(SanitizedProgram p, int times, boolean plain) {
    long s = p.stream();
    long workspace = p.filled(N);
    p.begin(s);
    p.launch("add", 1, N, 0, s, workspace, workspace, 1, N);
    long exec = p.end(s);
    for (int i = 0; i < times; i++) {
      p.replay(exec, s);
    }
    if (plain) {
      p.set(workspace, 5, N, s);
    }
    p.sync(s);
  }

  private static void memory(Map<String, Consumer<SanitizedProgram>> all) {
    all.put(
        "memory in stream order from allocation to free",
        p -> {
          long s = p.stream();
          long buffer = p.allocateAsync(N, s);
          p.set(buffer, 1, N, s);
          p.launch("add", 1, N, 0, s, buffer, buffer, 1, N);
          p.freeAsync(buffer, s);
          p.sync(s);
        });
    all.put(
        "memory in stream order that another stream waits for",
        p -> {
          long one = p.stream();
          long two = p.stream();
          long buffer = p.allocateAsync(N, one);
          long event = p.event();
          p.record(event, one);
          p.waitFor(two, event);
          p.set(buffer, 1, N, two);
          p.sync(two);
        });
    all.put(
        "memory in stream order that comes back",
        p -> {
          long s = p.stream();
          for (int i = 0; i < 4; i++) {
            long buffer = p.allocateAsync(N, s);
            p.set(buffer, i, N, s);
            p.freeAsync(buffer, s);
          }
          p.sync(s);
        });
    all.put(
        "a free after all readers were waited for",
        p -> {
          long one = p.stream();
          long two = p.stream();
          long buffer = p.filled(N);
          p.launch("add", 1, N, 0, one, p.allocate(N), buffer, 1, N);
          p.launch("add", 1, N, 0, two, p.allocate(N), buffer, 1, N);
          p.sync(one);
          p.sync(two);
          p.free(buffer);
        });
  }

  private static void hostBuffers(Map<String, Consumer<SanitizedProgram>> all) {
    all.put("a ring of as many staging buffers as steps in flight", p -> ring(p, 4, 4, false));
    all.put("a ring of staging buffers that is waited for", p -> ring(p, 2, 6, true));
    all.put(
        "a pinned buffer of another copy than the one under way",
        p -> {
          long s = p.stream();
          MemorySegment a = p.pinned(N);
          MemorySegment b = p.pinned(N);
          p.upload(p.allocate(N), a, s);
          b.set(JAVA_INT, 0, 7);
          p.upload(p.allocate(N), b, s);
          p.sync(s);
        });
    all.put(
        "a pinned buffer that is read while it is copied",
        p -> {
          long s = p.stream();
          MemorySegment host = p.pinned(N);
          host.set(JAVA_INT, 0, 7);
          p.upload(p.allocate(N), host, s);
          if (host.get(JAVA_INT, 0) != 7) {
            throw new AssertionError("the copy changed its source");
          }
          p.sync(s);
        });
  }

  private static void ring(SanitizedProgram p, int size, int steps, boolean waits) {
    long s = p.stream();
    MemorySegment[] ring = new MemorySegment[size];
    for (int i = 0; i < size; i++) {
      ring[i] = p.pinned(N);
    }
    long device = p.allocate(N);
    for (int step = 0; step < steps; step++) {
      ring[step % size].set(JAVA_INT, 0, step + 1);
      p.upload(device, ring[step % size], s);
      if (waits) {
        p.sync(s);
      }
    }
    p.sync(s);
  }
}
