package dev.reprise.softgpu.sanitizer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** What threads submit to one stream at the same time is in the order of the stream. */
class SharedStreamTest {

  private static final SanitizerOptions OPTIONS =
      new SanitizerOptions(SanitizerLevel.FULL, Set.of(ReportKind.LEAK), 100, 0);
  private static final int N = 64;
  private static final int THREADS = 4;
  private static final int ROUNDS = 800;

  @Test
  void eachThreadThatHasWaitedMayUseWhatItAllocated() throws Exception {
    SanitizedProgram program = new SanitizedProgram(OPTIONS);
    long shared = program.stream();
    List<Future<?>> all = new ArrayList<>();
    // Looked up before the threads begin.
    program.freeAsync(allocated(program, shared), shared);
    try (ExecutorService executor = Executors.newFixedThreadPool(THREADS)) {
      for (int i = 0; i < THREADS; i++) {
        long own = program.stream();
        all.add(executor.submit(() -> work(program, shared, own)));
      }
    }
    for (Future<?> each : all) {
      each.get();
    }
    program.close();
    assertThat(program.reports()).extracting(Report::text).isEmpty();
  }

  private static long allocated(SanitizedProgram program, long stream) {
    long memory = program.allocateAsync(N, stream);
    program.sync(stream);
    program.set(memory, 1, N, stream);
    program.sync(stream);
    return memory;
  }

  private static void work(SanitizedProgram program, long shared, long own) {
    program.ok("cuCtxSetCurrent", program.context(0));
    for (int i = 0; i < ROUNDS; i++) {
      // Not freed: whatever waits or orders leaves fewer chances for a mistake.
      long memory = program.allocateAsync(N, shared);
      program.sync(shared);
      program.set(memory, 1, N, own);
    }
  }
}
