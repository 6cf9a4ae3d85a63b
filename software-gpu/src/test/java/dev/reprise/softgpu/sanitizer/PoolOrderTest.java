package dev.reprise.softgpu.sanitizer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Stream-ordered memory that is used where nothing orders the use: found whatever order ran. */
class PoolOrderTest {

  private static final SanitizerOptions OPTIONS =
      new SanitizerOptions(SanitizerLevel.FULL, Set.of(ReportKind.LEAK), 100, 0);
  private static final int N = 64;

  private static List<ReportKind> kinds(Consumer<SanitizedProgram> body) {
    SanitizedProgram program = new SanitizedProgram(OPTIONS);
    body.accept(program);
    program.close();
    return program.reports().stream().map(Report::kind).toList();
  }

  @Test
  void aUseThatNothingOrdersAfterTheAllocationIsFound() {
    assertThat(
            kinds(p -> {
              long allocating = p.stream();
              long other = p.stream();
              long memory = p.allocateAsync(N, allocating);
              p.set(memory, 1, N, other);
              p.sync(other);
            }))
        .containsExactly(ReportKind.USE_BEFORE_ALLOCATION);
  }

  @Test
  void aUseThatNothingOrdersBeforeTheFreeIsFound() {
    assertThat(
            kinds(p -> {
              long using = p.stream();
              long freeing = p.stream();
              long memory = p.allocateAsync(N, using);
              long event = p.event();
              p.record(event, using);
              p.waitFor(freeing, event);
              p.set(memory, 1, N, using);
              p.sync(using);
              p.freeAsync(memory, freeing);
              p.sync(freeing);
            }))
        .isEmpty();
    assertThat(
            kinds(p -> {
              long using = p.stream();
              long freeing = p.stream();
              long memory = p.allocateAsync(N, using);
              long event = p.event();
              p.record(event, using);
              p.waitFor(freeing, event);
              p.set(memory, 1, N, using);
              p.freeAsync(memory, freeing);
              p.finish(freeing);
            }))
        .isNotEmpty()
        .as("which of the two depends on what runs first")
        .isSubsetOf(ReportKind.FREE_IN_USE, ReportKind.USE_AFTER_FREE);
  }

  @Test
  void aFreeThatNothingOrdersAfterTheAllocationIsFound() {
    assertThat(
            kinds(p -> {
              long allocating = p.stream();
              long other = p.stream();
              long memory = p.allocateAsync(N, allocating);
              p.freeAsync(memory, other);
              p.sync(other);
            }))
        .containsExactly(ReportKind.USE_BEFORE_ALLOCATION);
  }

  @Test
  void whatIsOrderedIsNot() {
    assertThat(
            kinds(p -> {
              long allocating = p.stream();
              long other = p.stream();
              long memory = p.allocateAsync(N, allocating);
              long event = p.event();
              p.record(event, allocating);
              p.waitFor(other, event);
              p.set(memory, 1, N, other);
              p.freeAsync(memory, other);
              p.sync(other);
            }))
        .isEmpty();
  }
}
