package dev.reprise.softgpu.sanitizer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.softgpu.sanitizer.Report.KernelPlace;
import dev.reprise.softgpu.sanitizer.Report.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What a report says, and how reports are limited and suppressed. */
class ReportTest {

  private static final SanitizerOptions STACKS =
      new SanitizerOptions(SanitizerLevel.STACKS, Set.of(), 100, 0);

  private static long useAfterFree(SanitizedProgram program) {
    long stream = program.stream();
    long buffer = program.allocate(16);
    program.free(buffer);
    program.launch("fill", 1, 32, 0, stream, buffer, 1, 16);
    program.finish(stream);
    return buffer;
  }

  @Test
  void namesKernelSourceThreadAllocationAndStacks() {
    SanitizedProgram program = new SanitizedProgram(STACKS);
    long buffer = useAfterFree(program);
    assertThat(program.reports()).hasSize(1);
    Report report = program.reports().getFirst();
    assertThat(report.kind()).isEqualTo(ReportKind.USE_AFTER_FREE);
    KernelPlace place = Objects.requireNonNull(report.place());
    assertThat(place.source()).isEqualTo("mistakes.cu:5");
    assertThat(place.thread()).isEqualTo("(0, 0, 0)");
    assertThat(report.address()).hasValue(buffer);
    assertThat(report.stacks()).containsOnlyKeys(Role.LAUNCH, Role.ALLOCATION, Role.FREE);
    assertThat(report.text().lines())
        .anyMatch(line -> line.contains("0 bytes into the freed allocation"))
        .anyMatch(line -> line.contains("ReportTest.useAfterFree"));
    assertThat(report.json())
        .startsWith("{\"kind\":\"use-after-free\",")
        .contains("\"kernel\":\"fill\"", "\"source\":\"mistakes.cu:5\"", "\"free\":{\"thread\":")
        .doesNotContain("\n");
    program.close();
  }

  @Test
  void aStalePointerOfAGraphShowsTheCapture() {
    SanitizedProgram program = new SanitizedProgram(STACKS);
    long stream = program.stream();
    long buffer = program.allocate(16);
    program.begin(stream);
    program.launch("fill", 1, 32, 0, stream, buffer, 1, 16);
    long exec = program.end(stream);
    program.free(buffer);
    program.replay(exec, stream);
    program.finish(stream);
    Report report = program.reports().getFirst();
    assertThat(report.kind()).isEqualTo(ReportKind.STALE_POINTER);
    assertThat(report.stacks()).containsKeys(Role.LAUNCH, Role.CAPTURE, Role.ALLOCATION, Role.FREE);
    program.close();
  }

  @Test
  void withoutSettingsAFaultIsAReportWithoutStacks() {
    SanitizedProgram program = new SanitizedProgram(SanitizerOptions.DEFAULT);
    useAfterFree(program);
    assertThat(program.reports()).extracting(Report::kind).contains(ReportKind.USE_AFTER_FREE);
    assertThat(program.reports().getFirst().stacks()).isEmpty();
    program.close();
  }

  @Test
  void aSuppressedKindIsNotReported() {
    SanitizedProgram program =
        new SanitizedProgram(SanitizerOptions.parse("stacks,-use-after-free,-leak"));
    useAfterFree(program);
    program.close();
    assertThat(program.reports()).isEmpty();
    assertThat(program.sanitizer().count()).isZero();
  }

  @Test
  void beyondTheLimitReportsAreOnlyCounted() throws Exception {
    SanitizedProgram program = new SanitizedProgram(SanitizerOptions.parse("stacks,limit=2"));
    List<Report> heard = new ArrayList<>();
    AutoCloseable listening = program.sanitizer().listen(heard::add);
    for (int i = 0; i < 5; i++) {
      program.allocate(4);
    }
    program.close();
    listening.close();
    assertThat(program.reports()).hasSize(2);
    assertThat(heard).isEqualTo(program.reports());
    assertThat(program.sanitizer().count(ReportKind.LEAK)).isEqualTo(5);
    program.sanitizer().clear();
    assertThat(program.sanitizer().count()).isZero();
  }
}
