package dev.reprise.softgpu.sanitizer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Every planted mistake is found, and what has none gives no report. */
class CorpusTest {

  private static final SanitizerOptions WITHOUT_LEAKS =
      new SanitizerOptions(SanitizerLevel.FULL, Set.of(ReportKind.LEAK), 100, 0);

  @TestFactory
  Stream<DynamicTest> findsTheMistake() {
    return Corpus.mistakes().entrySet().stream()
        .map(entry ->
            DynamicTest.dynamicTest(entry.getKey(), () -> findsTheMistake(entry.getValue())));
  }

  private static void findsTheMistake(Corpus.Mistake mistake) {
    boolean leak = mistake.kind() == ReportKind.LEAK;
    SanitizedProgram program = new SanitizedProgram(leak ? SanitizerOptions.FULL : WITHOUT_LEAKS);
    mistake.body().accept(program);
    program.close();
    assertThat(program.reports()).extracting(Report::kind).containsOnly(mistake.kind());
    Report report = program.reports().getFirst();
    if (mistake.kernel() != null) {
      // Of two kernels that race, the place is that of the one which ran later.
      String place = Objects.requireNonNull(report.place()).kernel();
      assertThat("kernel %s, %s".formatted(place, report.what()))
          .contains("kernel " + mistake.kernel());
    }
    assertThat(report.stacks()).isNotEmpty();
    assertThat(report.stacks().values())
        .allSatisfy(
            stack -> assertThat(stack.lines()).anyMatch(line -> line.contains("sanitizer.Corpus")));
  }

  @TestFactory
  Stream<DynamicTest> hasNothingToSay() {
    return CleanCorpus.clean().entrySet().stream()
        .map(entry ->
            DynamicTest.dynamicTest(
                entry.getKey(),
                () -> {
                  SanitizedProgram program = new SanitizedProgram(WITHOUT_LEAKS);
                  entry.getValue().accept(program);
                  program.close();
                  assertThat(program.reports()).extracting(Report::text).isEmpty();
                }));
  }

  @Test
  void everyKindHasAMistake() {
    assertThat(Corpus.kinds()).containsExactlyInAnyOrder(ReportKind.values());
  }
}
