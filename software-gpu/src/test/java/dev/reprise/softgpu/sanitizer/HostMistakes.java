package dev.reprise.softgpu.sanitizer;

import static dev.reprise.softgpu.sanitizer.Corpus.N;
import static dev.reprise.softgpu.sanitizer.Corpus.drainUnseen;
import static dev.reprise.softgpu.sanitizer.ReportKind.FREE_IN_USE;
import static dev.reprise.softgpu.sanitizer.ReportKind.GRAPH_RACE;
import static dev.reprise.softgpu.sanitizer.ReportKind.HOST_BUFFER_REUSE;
import static dev.reprise.softgpu.sanitizer.ReportKind.LEAK;
import static dev.reprise.softgpu.sanitizer.ReportKind.STALE_POINTER;
import static dev.reprise.softgpu.sanitizer.ReportKind.STREAM_RACE;
import static dev.reprise.softgpu.sanitizer.ReportKind.UNINITIALISED_READ;
import static dev.reprise.softgpu.sanitizer.ReportKind.USE_AFTER_FREE;
import static dev.reprise.softgpu.sanitizer.ReportKind.USE_BEFORE_ALLOCATION;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.reprise.softgpu.sanitizer.Corpus.Mistake;
import java.lang.foreign.MemorySegment;
import java.util.Map;

/** Mistakes of programs: orders that are missing, memory that is gone. */
final class HostMistakes {

  private HostMistakes() {}

  static void addTo(Map<String, Mistake> all) {
    streams(all);
    graphs(all);
    memory(all);
    hostBuffers(all);
  }

  private static void streams(Map<String, Mistake> all) {
    all.put(
        "a wait for the event of another buffer",
        new Mistake(
            STREAM_RACE,
            "add",
            p -> {
              long one = p.stream();
              long two = p.stream();
              long three = p.stream();
              long a = p.filled(N);
              long b = p.filled(N);
              long done = p.event();
              p.launch("fill", 1, N, 0, one, a, 1, N);
              p.launch("fill", 1, N, 0, two, b, 1, N);
              p.record(done, one);
              p.waitFor(three, done);
              drainUnseen(p, two);
              p.launch("add", 1, N, 0, three, p.allocate(N), b, 1, N);
              p.sync(three);
            }));
    all.put(
        "a step that begins before the copy of its input in another stream",
        new Mistake(
            STREAM_RACE,
            "add",
            p -> {
              long copies = p.stream();
              long steps = p.stream();
              MemorySegment host = p.pinned(N);
              long input = p.filled(N);
              p.upload(input, host, copies);
              drainUnseen(p, copies);
              p.launch("add", 1, N, 0, steps, p.allocate(N), input, 1, N);
              p.sync(steps);
              p.sync(copies);
            }));
    all.put(
        "the copy of the next input over the one that a step reads",
        new Mistake(
            STREAM_RACE,
            null,
            p -> {
              long copies = p.stream();
              long steps = p.stream();
              long input = p.filled(N);
              p.launch("add", 1, N, 0, steps, p.allocate(N), input, 1, N);
              drainUnseen(p, steps);
              p.upload(input, p.pinned(N), copies);
              p.sync(copies);
              p.sync(steps);
            }));
    all.put(
        "a result that is copied out before it is computed",
        new Mistake(
            STREAM_RACE,
            null,
            p -> {
              long copies = p.stream();
              long steps = p.stream();
              long result = p.filled(N);
              p.launch("fill", 1, N, 0, steps, result, 2, N);
              drainUnseen(p, steps);
              p.download(p.pinned(N), result, copies);
              p.sync(copies);
              p.sync(steps);
            }));
    all.put(
        "a wait in one of two streams that need it",
        new Mistake(
            STREAM_RACE,
            "add",
            p -> {
              long one = p.stream();
              long two = p.stream();
              long three = p.stream();
              long buffer = p.filled(N);
              long event = p.event();
              p.launch("fill", 1, N, 0, one, buffer, 1, N);
              p.record(event, one);
              p.waitFor(two, event);
              p.launch("add", 1, N, 0, two, p.allocate(N), buffer, 1, N);
              p.sync(two);
              p.set(buffer, 3, N, one);
              drainUnseen(p, one);
              p.launch("add", 1, N, 0, three, p.allocate(N), buffer, 1, N);
              p.sync(three);
            }));
  }

  private static void graphs(Map<String, Mistake> all) {
    all.put(
        "two branches of a graph that write one buffer",
        new Mistake(GRAPH_RACE, "fill", p -> branches(p, "fill", "fill")));
    all.put(
        "a branch that copies what the other writes",
        new Mistake(GRAPH_RACE, null, p -> branches(p, "fill", "copy")));
    all.put(
        "a branch that fills what the other reads",
        new Mistake(GRAPH_RACE, null, p -> branches(p, "add", "set")));
    all.put(
        "a replay beside plain work on its workspace",
        new Mistake(
            STREAM_RACE,
            "fill",
            p -> {
              long one = p.stream();
              long two = p.stream();
              long workspace = p.filled(N);
              p.begin(one);
              p.launch("fill", 1, N, 0, one, workspace, 1, N);
              long exec = p.end(one);
              p.replay(exec, one);
              drainUnseen(p, one);
              p.launch("fill", 1, N, 0, two, workspace, 2, N);
              p.sync(two);
              p.sync(one);
            }));
    all.put(
        "a workspace that moved after capture",
        new Mistake(
            STALE_POINTER,
            "add",
            p -> {
              long s = p.stream();
              long workspace = p.filled(N);
              long result = p.filled(N);
              p.begin(s);
              p.launch("add", 1, N, 0, s, result, workspace, 1, N);
              long exec = p.end(s);
              p.free(workspace);
              long moved = p.filled(2 * N);
              p.replay(exec, s);
              p.finish(s);
              p.call("cuMemFree_v2", moved);
            }));
    all.put(
        "a fill node of memory that was freed after capture",
        new Mistake(
            STALE_POINTER,
            null,
            p -> {
              long s = p.stream();
              long buffer = p.allocate(N);
              p.begin(s);
              p.set(buffer, 1, N, s);
              long exec = p.end(s);
              p.free(buffer);
              p.replay(exec, s);
              p.finish(s);
            }));
  }

  private static void branches(SanitizedProgram p, String first, String second) {
    long one = p.stream();
    long two = p.stream();
    long buffer = p.filled(N);
    long result = p.filled(N);
    long fork = p.event();
    long join = p.event();
    p.begin(one);
    p.record(fork, one);
    p.waitFor(two, fork);
    work(p, first, one, buffer, result);
    work(p, second, two, buffer, result);
    p.record(join, two);
    p.waitFor(one, join);
    long exec = p.end(one);
    p.replay(exec, one);
    p.sync(one);
  }

  private static void work(SanitizedProgram p, String what, long s, long buffer, long result) {
    switch (what) {
      case "fill" -> p.launch("fill", 1, N, 0, s, buffer, 1, N);
      case "add" -> p.launch("add", 1, N, 0, s, result, buffer, 1, N);
      case "copy" -> p.copy(result, buffer, N, s);
      case "set" -> p.set(buffer, 2, N, s);
      default -> throw new IllegalArgumentException(what);
    }
  }

  private static void memory(Map<String, Mistake> all) {
    all.put(
        "a block table that was freed",
        new Mistake(
            USE_AFTER_FREE,
            "paged_sum",
            p -> {
              long s = p.stream();
              long table = KernelMistakes.table(p, s, p.filled(32));
              p.free(table);
              p.launch("paged_sum", 1, 32, 0, s, p.allocate(32), table, 1, 32);
              p.finish(s);
            }));
    all.put(
        "a kernel that reads freed memory",
        new Mistake(
            USE_AFTER_FREE,
            "add",
            p -> {
              long s = p.stream();
              long in = p.filled(N);
              p.free(in);
              p.launch("add", 1, N, 0, s, p.allocate(N), in, 1, N);
              p.finish(s);
            }));
    all.put(
        "a free in stream order before the reader of another stream",
        new Mistake(
            FREE_IN_USE,
            null,
            p -> {
              long s = p.stream();
              long other = p.stream();
              long buffer = p.allocateAsync(N, s);
              p.set(buffer, 1, N, s);
              p.sync(s);
              p.launch("add", 1, N, 0, other, p.allocate(N), buffer, 1, N);
              drainUnseen(p, other);
              p.freeAsync(buffer, s);
              p.sync(s);
            }));
    all.put(
        "memory in stream order that another stream fills at once",
        new Mistake(
            USE_BEFORE_ALLOCATION,
            null,
            p -> {
              long one = p.stream();
              long two = p.stream();
              long buffer = p.allocateAsync(N, one);
              p.set(buffer, 1, N, two);
              p.sync(one);
              p.sync(two);
            }));
    all.put(
        "memory in stream order that a kernel of another stream writes, which waits for too little",
        new Mistake(
            USE_BEFORE_ALLOCATION,
            "fill",
            p -> {
              long one = p.stream();
              long two = p.stream();
              long event = p.event();
              p.record(event, one);
              p.waitFor(two, event);
              long buffer = p.allocateAsync(N, one);
              drainUnseen(p, one);
              p.launch("fill", 1, N, 0, two, buffer, 1, N);
              p.sync(two);
            }));
    all.put(
        "memory of a stream that is never freed",
        new Mistake(
            LEAK,
            null,
            p -> {
              long s = p.stream();
              p.allocate(N);
              p.sync(s);
            }));
    all.put(
        "memory in stream order that nobody wrote",
        new Mistake(
            UNINITIALISED_READ,
            "add",
            p -> {
              long s = p.stream();
              long in = p.allocateAsync(N, s);
              p.launch("add", 1, N, 0, s, p.allocate(N), in, 1, N);
              p.sync(s);
            }));
  }

  private static void hostBuffers(Map<String, Mistake> all) {
    all.put(
        "a pinned buffer that is written after the event of another copy",
        new Mistake(
            HOST_BUFFER_REUSE,
            null,
            p -> {
              long one = p.stream();
              long two = p.stream();
              MemorySegment a = p.pinned(N);
              long event = p.event();
              long device = p.allocate(N);
              p.upload(p.allocate(N), p.pinned(N), one);
              p.record(event, one);
              p.upload(device, a, two);
              p.ok("cuEventSynchronize", event);
              a.set(JAVA_INT, 0, 3);
              p.sync(two);
            }));
    all.put(
        "a ring of two staging buffers with three steps in flight",
        new Mistake(
            HOST_BUFFER_REUSE,
            null,
            p -> {
              long s = p.stream();
              MemorySegment[] ring = {p.pinned(N), p.pinned(N)};
              long device = p.allocate(N);
              for (int step = 0; step < 3; step++) {
                ring[step % 2].set(JAVA_INT, 0, step + 1);
                p.upload(device, ring[step % 2], s);
              }
              p.sync(s);
            }));
  }
}
