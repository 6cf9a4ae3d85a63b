package dev.reprise.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class SanitizeCommandTest {

  private final Properties before = new Properties();

  @BeforeEach
  void keepProperties() {
    before.putAll(System.getProperties());
  }

  @AfterEach
  void restoreProperties() {
    System.setProperties(before);
  }

  @Test
  void runsTheCommandWithTheSanitizerOn() {
    List<String> seen = new ArrayList<>();
    SanitizeCommand command =
        new SanitizeCommand((out, err, arguments) -> {
          seen.addAll(Arrays.asList(arguments));
          seen.add(System.getProperty("REPRISE_SANITIZE"));
          seen.add(System.getProperty("reprise.driver"));
          return 5;
        });
    int code =
        new CommandLine(command)
            .setErr(new PrintWriter(new StringWriter()))
            .execute("--suppress", "leak,shared-race", "--limit", "7", "--", "generate", "--eager");
    assertThat(code).isEqualTo(5);
    assertThat(seen)
        .containsExactly(
            "generate", "--eager", "full,limit=7,exit=3,-leak,-shared-race", "software");
  }

  @Test
  void theCommandIsOneOfTheProgram() {
    CommandRun run = CommandRun.withoutEngine("sanitize", "--", "generate", "--nothing");
    assertThat(run.code()).isEqualTo(2);
    assertThat(run.err()).contains("reprise generate: unknown option --nothing");
  }

  @Test
  void wrongUseIsNamed() {
    assertThat(CommandRun.withoutEngine("sanitize").err()).contains("name the command to run");
    assertThat(CommandRun.withoutEngine("sanitize", "--", "sanitize").code()).isEqualTo(2);
    assertThat(CommandRun.withoutEngine("sanitize", "--level", "all", "--", "doctor").err())
        .contains("--level must be faults, stacks or full; it is \"all\"");
  }
}
