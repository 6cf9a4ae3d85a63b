package dev.reprise.softgpu.sanitizer;

import static dev.reprise.softgpu.sanitizer.Corpus.N;
import static dev.reprise.softgpu.sanitizer.Corpus.drainUnseen;

import dev.reprise.softgpu.sanitizer.Corpus.Mistake;
import java.util.Map;
import java.util.function.Consumer;

/** Programs of two devices, with a mistake and without. */
final class PeerPrograms {

  private PeerPrograms() {}

  static void addMistakes(Map<String, Mistake> all) {
    all.put(
        "a copy from another device before the kernel there",
        new Mistake(ReportKind.STREAM_RACE, null, p -> copied(p, false)));
    all.put(
        "a kernel that reads memory of another device beside a fill there",
        new Mistake(ReportKind.STREAM_RACE, "add", p -> read(p, true, false)));
    all.put(
        "memory of another device that nothing has written",
        new Mistake(ReportKind.UNINITIALISED_READ, "add", p -> read(p, false, false)));
    all.put(
        "a kernel that reads memory which the other device has freed",
        new Mistake(
            ReportKind.USE_AFTER_FREE,
            "add",
            p -> {
              p.on(1);
              long there = p.filled(N);
              p.on(0);
              p.ok("cuCtxEnablePeerAccess", p.context(1), 0);
              there(p, () -> p.free(there));
              long s = p.stream();
              p.launch("add", 1, N, 0, s, p.allocate(N), there, 1, N);
              p.finish(s);
            }));
  }

  static void addClean(Map<String, Consumer<SanitizedProgram>> all) {
    all.put("a copy from another device behind the kernel there", p -> copied(p, true));
    all.put("a kernel that reads memory of another device behind a fill", p -> read(p, true, true));
  }

  /** Does something with the other device current. */
  private static void there(SanitizedProgram p, Runnable step) {
    p.on(1);
    step.run();
    p.on(0);
  }

  private static void copied(SanitizedProgram p, boolean waits) {
    long[] work = new long[3];
    there(
        p,
        () -> {
          work[0] = p.filled(N);
          work[1] = p.stream();
          work[2] = p.event();
          p.launch("fill", 1, N, 0, work[1], work[0], 1, N);
          p.record(work[2], work[1]);
        });
    long s = p.stream();
    if (waits) {
      p.waitFor(s, work[2]);
    } else {
      there(p, () -> drainUnseen(p, work[1]));
    }
    long here = p.allocate(N);
    p.ok("cuMemcpyPeerAsync", here, p.context(0), work[0], p.context(1), 4L * N, s);
    p.sync(s);
    there(p, () -> p.sync(work[1]));
  }

  private static void read(SanitizedProgram p, boolean filled, boolean waits) {
    long[] work = new long[3];
    there(
        p,
        () -> {
          work[0] = p.allocate(N);
          work[1] = p.stream();
          work[2] = p.event();
          if (filled) {
            p.set(work[0], 1, N, work[1]);
          }
          p.record(work[2], work[1]);
          if (!waits) {
            drainUnseen(p, work[1]);
          }
        });
    p.ok("cuCtxEnablePeerAccess", p.context(1), 0);
    long s = p.stream();
    if (waits) {
      p.waitFor(s, work[2]);
    }
    p.launch("add", 1, N, 0, s, p.allocate(N), work[0], 1, N);
    p.sync(s);
    there(p, () -> p.sync(work[1]));
  }
}
