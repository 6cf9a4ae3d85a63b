package dev.reprise.softgpu.sanitizer;

import static dev.reprise.softgpu.sanitizer.Corpus.N;

import dev.reprise.softgpu.sanitizer.Corpus.Mistake;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;

/**
 * Programs that go on when a host function of a graph tells them to, before the graph has ended.
 */
final class HostNodePrograms {

  private HostNodePrograms() {}

  static void addMistakes(Map<String, Mistake> all) {
    all.put(
        "a host node beside the fill that the program takes for done",
        new Mistake(ReportKind.STREAM_RACE, "add", p -> told(p, false)));
  }

  static void addClean(Map<String, Consumer<SanitizedProgram>> all) {
    all.put("a host node behind the fill that the program takes for done", p -> told(p, true));
  }

  private static void told(SanitizedProgram p, boolean behind) {
    long one = p.stream();
    long two = p.stream();
    long reading = p.stream();
    long buffer = p.filled(N);
    long fork = p.event();
    long join = p.event();
    CountDownLatch reached = new CountDownLatch(1);
    p.begin(one);
    p.record(fork, one);
    p.waitFor(two, fork);
    p.set(buffer, 2, N, one);
    p.hostFunction(behind ? one : two, reached::countDown);
    p.record(join, two);
    p.waitFor(one, join);
    long exec = p.end(one);
    p.replay(exec, one);
    try {
      reached.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    p.launch("add", 1, N, 0, reading, p.allocate(N), buffer, 1, N);
    p.sync(reading);
    p.sync(one);
  }
}
