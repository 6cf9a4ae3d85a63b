package dev.reprise.softgpu.sanitizer;

import static dev.reprise.softgpu.sanitizer.ReportKind.BARRIER_MISUSE;
import static dev.reprise.softgpu.sanitizer.ReportKind.DEVICE_FAULT;
import static dev.reprise.softgpu.sanitizer.ReportKind.FREE_IN_USE;
import static dev.reprise.softgpu.sanitizer.ReportKind.GRAPH_RACE;
import static dev.reprise.softgpu.sanitizer.ReportKind.HOST_BUFFER_REUSE;
import static dev.reprise.softgpu.sanitizer.ReportKind.LEAK;
import static dev.reprise.softgpu.sanitizer.ReportKind.MISALIGNED;
import static dev.reprise.softgpu.sanitizer.ReportKind.OUT_OF_BOUNDS;
import static dev.reprise.softgpu.sanitizer.ReportKind.SHARED_RACE;
import static dev.reprise.softgpu.sanitizer.ReportKind.STALE_POINTER;
import static dev.reprise.softgpu.sanitizer.ReportKind.STREAM_RACE;
import static dev.reprise.softgpu.sanitizer.ReportKind.UNINITIALISED_READ;
import static dev.reprise.softgpu.sanitizer.ReportKind.USE_AFTER_FREE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Programs with one mistake each; {@link CleanCorpus} has programs like them without. */
final class Corpus {

  /**
   * A program with a mistake.
   *
   * @param kind the mistake
   * @param kernel the kernel that the report must name; null where it names none
   */
  record Mistake(ReportKind kind, @Nullable String kernel, Consumer<SanitizedProgram> body) {}

  static final int N = 64;

  private Corpus() {}

  static Map<String, Mistake> mistakes() {
    Map<String, Mistake> all = new TreeMap<>();
    memory(all);
    freed(all);
    streams(all);
    graphs(all);
    hostBuffers(all);
    uninitialised(all);
    shared(all);
    barriers(all);
    KernelMistakes.addTo(all);
    HostMistakes.addTo(all);
    OrderPrograms.addMistakes(all);
    PeerPrograms.addMistakes(all);
    HostNodePrograms.addMistakes(all);
    return all;
  }

  private static void memory(Map<String, Mistake> all) {
    all.put(
        "a tail tile that is one too long",
        new Mistake(
            OUT_OF_BOUNDS,
            "fill_tail",
            p -> {
              long s = p.stream();
              p.launch("fill_tail", 1, 96, 0, s, p.allocate(N), 1, N);
              p.finish(s);
            }));
    all.put(
        "a read in front of a buffer",
        new Mistake(
            OUT_OF_BOUNDS,
            "neighbour",
            p -> {
              long s = p.stream();
              p.launch("neighbour", 1, N, 0, s, p.allocate(N), p.filled(N), N);
              p.finish(s);
            }));
    all.put(
        "a read beyond shared memory",
        new Mistake(
            OUT_OF_BOUNDS,
            "beyond_shared",
            p -> {
              long s = p.stream();
              p.launch("beyond_shared", 1, 32, 128, s, p.allocate(N), 1);
              p.finish(s);
            }));
    all.put(
        "an index table with a wrong entry",
        new Mistake(
            OUT_OF_BOUNDS,
            "gather",
            p -> {
              long s = p.stream();
              long table = p.allocate(1);
              p.ok("cuMemsetD32_v2", table, 7, 1L);
              p.launch("gather", 1, 32, 0, s, p.allocate(N), p.filled(N), table, 32);
              p.finish(s);
            }));
    all.put(
        "an address that is not aligned",
        new Mistake(
            MISALIGNED,
            "fill",
            p -> {
              long s = p.stream();
              p.launch("fill", 1, 32, 0, s, p.allocate(N) + 2, 1, 8);
              p.finish(s);
            }));
    all.put(
        "a trap",
        new Mistake(
            DEVICE_FAULT,
            "trap",
            p -> {
              long s = p.stream();
              p.launch("trap", 1, 1, 0, s);
              p.finish(s);
            }));
    all.put("device memory that is never freed", new Mistake(LEAK, null, p -> p.allocate(N)));
    all.put("pinned memory that is never freed", new Mistake(LEAK, null, p -> p.pinned(N)));
  }

  private static void freed(Map<String, Mistake> all) {
    all.put(
        "a kernel that writes freed memory",
        new Mistake(
            USE_AFTER_FREE,
            "fill",
            p -> {
              long s = p.stream();
              long buffer = p.allocate(N);
              p.free(buffer);
              p.launch("fill", 1, N, 0, s, buffer, 1, N);
              p.finish(s);
            }));
    all.put(
        "a kernel behind the free of its stream",
        new Mistake(
            USE_AFTER_FREE,
            "fill",
            p -> {
              long s = p.stream();
              long buffer = p.allocateAsync(N, s);
              p.freeAsync(buffer, s);
              p.launch("fill", 1, N, 0, s, buffer, 1, N);
              p.finish(s);
            }));
    all.put(
        "a graph that writes a workspace that was freed after capture",
        new Mistake(
            STALE_POINTER,
            "fill",
            p -> {
              long s = p.stream();
              long workspace = p.allocate(N);
              p.begin(s);
              p.launch("fill", 1, N, 0, s, workspace, 1, N);
              long exec = p.end(s);
              p.replay(exec, s);
              p.sync(s);
              p.free(workspace);
              p.replay(exec, s);
              p.finish(s);
            }));
    all.put(
        "a graph that copies from memory that was freed after capture",
        new Mistake(
            STALE_POINTER,
            null,
            p -> {
              long s = p.stream();
              long from = p.filled(N);
              long to = p.allocate(N);
              p.begin(s);
              p.copy(to, from, N, s);
              long exec = p.end(s);
              p.free(from);
              p.replay(exec, s);
              p.finish(s);
            }));
    all.put(
        "a free in stream order that does not wait for another stream",
        new Mistake(
            FREE_IN_USE,
            null,
            p -> {
              long s = p.stream();
              long other = p.stream();
              long buffer = p.allocateAsync(N, s);
              p.sync(s);
              p.launch("fill", 1, N, 0, other, buffer, 1, N);
              p.ok("cuStreamWaitEvent", s, p.event(), 0);
              drainUnseen(p, other);
              p.freeAsync(buffer, s);
              p.sync(s);
            }));
  }

  /** Lets a stream run dry without the program's knowing that it has, so that no test is a race. */
  static void drainUnseen(SanitizedProgram p, long stream) {
    long deadline = System.nanoTime() + 60_000_000_000L;
    MemorySegment flag = p.pinned(1);
    p.ok("cuMemsetD32Async", flag.address(), 77, 1L, stream);
    while ((int) JAVA_INT.varHandle().getVolatile(flag, 0L) != 77) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("the stream does not run dry");
      }
      Thread.onSpinWait();
    }
  }

  private static void streams(Map<String, Mistake> all) {
    all.put(
        "a kernel that reads what another stream's kernel writes",
        new Mistake(
            STREAM_RACE,
            "add",
            p -> {
              long one = p.stream();
              long two = p.stream();
              long buffer = p.filled(N);
              p.launch("fill", 1, N, 0, one, buffer, 1, N);
              p.launch("add", 1, N, 0, two, p.allocate(N), buffer, 1, N);
              p.sync(one);
              p.sync(two);
            }));
    all.put(
        "the same, ended before the reader was launched",
        new Mistake(
            STREAM_RACE,
            "add",
            p -> {
              long one = p.stream();
              long two = p.stream();
              long buffer = p.filled(N);
              p.launch("fill", 1, N, 0, one, buffer, 1, N);
              drainUnseen(p, one);
              p.launch("add", 1, N, 0, two, p.allocate(N), buffer, 1, N);
              p.sync(two);
            }));
    all.put(
        "an event recorded before the work it should cover",
        new Mistake(
            STREAM_RACE,
            "add",
            p -> {
              long one = p.stream();
              long two = p.stream();
              long buffer = p.filled(N);
              long event = p.event();
              p.record(event, one);
              p.launch("fill", 1, N, 0, one, buffer, 1, N);
              p.waitFor(two, event);
              p.launch("add", 1, N, 0, two, p.allocate(N), buffer, 1, N);
              p.sync(one);
              p.sync(two);
            }));
    all.put(
        "a copy over what another stream still reads",
        new Mistake(
            STREAM_RACE,
            null,
            p -> {
              long one = p.stream();
              long two = p.stream();
              long buffer = p.filled(N);
              long fresh = p.filled(N);
              p.launch("add", 1, N, 0, one, p.allocate(N), buffer, 1, N);
              drainUnseen(p, one);
              p.copy(buffer, fresh, N, two);
              p.sync(two);
            }));
    all.put(
        "two fills of one buffer in two streams",
        new Mistake(
            STREAM_RACE,
            null,
            p -> {
              long one = p.stream();
              long two = p.stream();
              long buffer = p.allocate(N);
              p.set(buffer, 1, N, one);
              p.set(buffer, 2, N, two);
              p.sync(one);
              p.sync(two);
            }));
    all.put(
        "atomic updates and a fill in two streams",
        new Mistake(
            STREAM_RACE,
            null,
            p -> {
              long one = p.stream();
              long two = p.stream();
              long counter = p.filled(1);
              p.launch("count_up", 1, 32, 0, one, counter);
              drainUnseen(p, one);
              p.set(counter, 0, 1, two);
              p.sync(two);
            }));
  }

  private static void graphs(Map<String, Mistake> all) {
    all.put(
        "two branches of a graph, one of which reads what the other writes",
        new Mistake(
            GRAPH_RACE,
            "add",
            p -> {
              long one = p.stream();
              long two = p.stream();
              long buffer = p.filled(N);
              long result = p.allocate(N);
              long fork = p.event();
              long join = p.event();
              p.begin(one);
              p.record(fork, one);
              p.waitFor(two, fork);
              p.launch("fill", 1, N, 0, one, buffer, 1, N);
              p.launch("add", 1, N, 0, two, result, buffer, 1, N);
              p.record(join, two);
              p.waitFor(one, join);
              long exec = p.end(one);
              p.replay(exec, one);
              p.sync(one);
            }));
    all.put(
        "two graphs in two streams that write one workspace",
        new Mistake(
            STREAM_RACE,
            "fill",
            p -> {
              long one = p.stream();
              long two = p.stream();
              long workspace = p.filled(N);
              p.begin(one);
              p.launch("fill", 1, N, 0, one, workspace, 1, N);
              long first = p.end(one);
              p.begin(one);
              p.launch("fill", 1, N, 0, one, workspace, 2, N);
              long second = p.end(one);
              p.replay(first, one);
              p.replay(second, two);
              p.sync(one);
              p.sync(two);
            }));
  }

  private static void hostBuffers(Map<String, Mistake> all) {
    all.put(
        "a pinned buffer that is written again before its copy was waited for",
        new Mistake(
            HOST_BUFFER_REUSE,
            null,
            p -> {
              long s = p.stream();
              MemorySegment host = p.pinned(N);
              long device = p.allocate(N);
              host.set(JAVA_INT, 0, 1);
              p.upload(device, host, s);
              host.set(JAVA_INT, 0, 2);
              p.sync(s);
            }));
    all.put(
        "the same with two copies in a row",
        new Mistake(
            HOST_BUFFER_REUSE,
            null,
            p -> {
              long s = p.stream();
              MemorySegment host = p.pinned(N);
              long device = p.allocate(2 * N);
              host.set(JAVA_INT, 0, 1);
              p.upload(device, host, s);
              host.set(JAVA_INT, 0, 2);
              p.upload(device + 4 * N, host, s);
              p.sync(s);
            }));
    all.put(
        "a staging buffer of a graph that is written while the graph runs",
        new Mistake(
            HOST_BUFFER_REUSE,
            null,
            p -> {
              long s = p.stream();
              MemorySegment host = p.pinned(N);
              long device = p.allocate(N);
              p.begin(s);
              p.upload(device, host, s);
              long exec = p.end(s);
              p.replay(exec, s);
              host.set(JAVA_INT, 4, 2);
              p.sync(s);
            }));
  }

  private static void uninitialised(Map<String, Mistake> all) {
    all.put(
        "a kernel that reads memory nobody wrote",
        new Mistake(
            UNINITIALISED_READ,
            "add",
            p -> {
              long s = p.stream();
              p.launch("add", 1, N, 0, s, p.allocate(N), p.allocate(N), 1, N);
              p.sync(s);
            }));
    all.put(
        "a fill that is one element short",
        new Mistake(
            UNINITIALISED_READ,
            "add",
            p -> {
              long s = p.stream();
              long in = p.allocate(N);
              p.set(in, 1, N - 1, s);
              p.launch("add", 1, N, 0, s, p.allocate(N), in, 1, N);
              p.sync(s);
            }));
    all.put(
        "a copy of memory nobody wrote",
        new Mistake(
            UNINITIALISED_READ,
            "add",
            p -> {
              long s = p.stream();
              long copy = p.allocate(N);
              p.copy(copy, p.allocate(N), N, s);
              p.launch("add", 1, N, 0, s, p.allocate(N), copy, 1, N);
              p.sync(s);
            }));
    all.put(
        "a tile of shared memory that is loaded in part",
        new Mistake(
            UNINITIALISED_READ,
            "partly_loaded",
            p -> {
              long s = p.stream();
              p.launch("partly_loaded", 1, 64, 0, s, p.allocate(N), p.filled(N), 60);
              p.sync(s);
            }));
  }

  static void onOneBlock(SanitizedProgram p, String kernel, int threads, Object... more) {
    long s = p.stream();
    Object[] values = new Object[more.length + 1];
    values[0] = p.filled(256);
    System.arraycopy(more, 0, values, 1, more.length);
    p.launch(kernel, 1, threads, 0, s, values);
    p.finish(s);
  }

  private static void shared(Map<String, Mistake> all) {
    all.put(
        "a missing barrier between store and load",
        new Mistake(
            SHARED_RACE,
            "reverse_without_barrier",
            p -> onOneBlock(p, "reverse_without_barrier", 256)));
    all.put(
        "a missing barrier at the end of a loop",
        new Mistake(
            SHARED_RACE,
            "rounds_without_second_barrier",
            p -> onOneBlock(p, "rounds_without_second_barrier", 256, 3)));
    all.put(
        "two warps that store to one place",
        new Mistake(SHARED_RACE, "two_winners", p -> onOneBlock(p, "two_winners", 64)));
    all.put(
        "a histogram that is read before all have counted",
        new Mistake(
            SHARED_RACE,
            "histogram_read_early",
            p -> onOneBlock(p, "histogram_read_early", 64, p.filled(64))));
    all.put(
        "lanes of a warp that do not wait for each other",
        new Mistake(
            SHARED_RACE,
            "warp_sum_without_sync",
            p -> onOneBlock(p, "warp_sum_without_sync", 32, p.filled(32))));
  }

  private static void barriers(Map<String, Mistake> all) {
    all.put(
        "a barrier in each branch of a warp",
        new Mistake(BARRIER_MISUSE, "two_barriers", p -> onOneBlock(p, "two_barriers", 32)));
    all.put(
        "two halves that wait at two barriers for each other",
        new Mistake(BARRIER_MISUSE, "barrier_of_half", p -> onOneBlock(p, "barrier_of_half", 64)));
    all.put(
        "a lane that its member mask does not name",
        new Mistake(BARRIER_MISUSE, "foreign_lane", p -> onOneBlock(p, "foreign_lane", 32)));
  }

  /** The kinds of which there are mistakes. */
  static List<ReportKind> kinds() {
    return mistakes().values().stream().map(Mistake::kind).distinct().toList();
  }
}
