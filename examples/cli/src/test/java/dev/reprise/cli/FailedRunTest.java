package dev.reprise.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FailedRunTest {

  private static StoryEngine failing(RuntimeException failure) {
    return (options, sink) -> {
      throw failure;
    };
  }

  @Test
  void isOneLineAndExitCodeOne() {
    CommandRun run =
        CommandRun.of(
            failing(
                new IllegalStateException("model.gguf: tensor \"x\" is Q4_K\n\n  supported: F32")),
            "generate");
    assertThat(run.code()).isEqualTo(1);
    assertThat(run.out()).isEmpty();
    assertThat(run.err())
        .isEqualTo(
            "reprise generate: model.gguf: tensor \"x\" is Q4_K | supported: F32 (--verbose shows"
                + " where)"
                + System.lineSeparator());
  }

  @Test
  void verboseAddsTheStackTraceWithItsCauses() {
    RuntimeException cause = new IllegalArgumentException("the cause");
    CommandRun run =
        CommandRun.of(
            failing(new IllegalStateException("it failed", cause)), "generate", "--verbose");
    assertThat(run.code()).isEqualTo(1);
    assertThat(run.err().lines().toList())
        .startsWith("reprise generate: it failed", "java.lang.IllegalStateException: it failed")
        .anyMatch(
            line -> line.startsWith("Caused by: java.lang.IllegalArgumentException: the cause"))
        .anyMatch(line -> line.contains("at dev.reprise.cli.FailedRunTest"));
  }

  @Test
  void anIllegalArgumentOfTheEngineIsNoBadUsage() {
    CommandRun run =
        CommandRun.of(failing(new IllegalArgumentException("the context is full")), "generate");
    assertThat(run.code()).isEqualTo(1);
    assertThat(run.err()).startsWith("reprise generate: the context is full");
  }

  @Test
  void aFailureWithoutAMessageIsNamedByItsType() {
    CommandRun run = CommandRun.of(failing(new UnsupportedOperationException()), "generate");
    assertThat(run.err()).startsWith("reprise generate: java.lang.UnsupportedOperationException (");
  }

  @Test
  void errorsOfTheJvmEndTheRunAlike() {
    StoryEngine engine =
        (options, sink) -> {
          throw new OutOfMemoryError("Java heap space");
        };
    CommandRun run = CommandRun.of(engine, "generate");
    assertThat(run.code()).isEqualTo(1);
    assertThat(run.err())
        .startsWith("reprise generate: java.lang.OutOfMemoryError: Java heap space (");
  }
}
