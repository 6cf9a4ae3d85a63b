package dev.reprise.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

class HelpTest {

  @Test
  void theHelpOfGenerateHasEveryOptionAndExamples() {
    CommandRun run = CommandRun.withoutEngine("generate", "--help");
    assertThat(run.code()).isZero();
    assertThat(run.err()).isEmpty();
    assertThat(run.out())
        .contains(
            "--model",
            "--prompt",
            "--max-tokens",
            "--temperature",
            "--top-k",
            "--top-p",
            "--min-p",
            "--repetition-penalty",
            "--presence-penalty",
            "--frequency-penalty",
            "--adapter",
            "--seed",
            "--eager",
            "--buckets",
            "--driver",
            "--json",
            "--verbose",
            "--help")
        .contains("Examples:")
        .contains("Exit codes: 0 done, 1 the run failed, 2 bad usage");
  }

  @Test
  void everyOptionIsDescribed() {
    CommandLine generate =
        new CommandLine(
            new GenerateCommand(
                (options, sink) -> Reports.nothingMeasured(), InputStream.nullInputStream()));
    assertThat(generate.getCommandSpec().options()).hasSizeGreaterThan(12);
    for (OptionSpec option : generate.getCommandSpec().options()) {
      assertThat(option.description()).as(option.longestName()).isNotEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"--help", "-h"})
  void theHelpOfTheProgramListsTheCommands(String option) {
    CommandRun run = CommandRun.withoutEngine(option);
    assertThat(run.code()).isZero();
    assertThat(run.out()).contains("Usage: reprise").contains("generate");
  }

  @Test
  void theVersionNamesTheJdk() {
    CommandRun run = CommandRun.withoutEngine("--version");
    assertThat(run.code()).isZero();
    assertThat(run.out()).startsWith("reprise ").contains("JDK " + Runtime.version());
  }
}
