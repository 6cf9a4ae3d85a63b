package dev.reprise.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UsageErrorTest {
  private static final String SEE = " (see \"reprise generate --help\")";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--max-tokens 0 | --max-tokens must be 1 or more, such as 256; it is 0",
        "--max-tokens -5 | --max-tokens must be 1 or more, such as 256; it is -5",
        "--max-tokens many | Invalid value for option '--max-tokens': 'many' is not a whole number"
            + " up to 2147483647",
        "--max-tokens 99999999999 | Invalid value for option '--max-tokens': '99999999999' is not a"
            + " whole number up to 2147483647",
        "--temperature -1 | --temperature must be 0 (the likeliest token) or more, such as 0.7; it"
            + " is -1.0",
        "--temperature NaN | --temperature must be 0 (the likeliest token) or more, such as 0.7; it"
            + " is NaN",
        "--temperature Infinity | --temperature must be 0 (the likeliest token) or more, such as"
            + " 0.7; it is Infinity",
        "--temperature hot | Invalid value for option '--temperature': 'hot' is not a number such"
            + " as 0.7",
        "--top-k -1 | --top-k must be 0 (off) or more, such as 40; it is -1",
        "--top-p 0 | --top-p must be above 0 and at most 1 (off), such as 0.95; it is 0.0",
        "--top-p 1.5 | --top-p must be above 0 and at most 1 (off), such as 0.95; it is 1.5",
        "--min-p 2 | --min-p must be between 0 (off) and 1, such as 0.05; it is 2.0",
        "--repetition-penalty 0 | --repetition-penalty must be above 0; 1 is off, 1.1 is usual; it is 0.0",
        "--presence-penalty NaN | --presence-penalty must be a number; 0 is off, 0.5 is usual; it is NaN",
        "--frequency-penalty Infinity | --frequency-penalty must be a number; 0 is off, 0.5 is usual; it is Infinity",
        "--adapter no-such.gguf | --adapter no-such.gguf: there is no such file",
        "--seed x | Invalid value for option '--seed': 'x' is not a whole number of 64 bits",
        "--seed 1 --seed 2 | option '--seed' (N) should be specified only once",
        "--prompt | Missing required parameter for option '--prompt' (TEXT)",
        "--model none.gguf | --model none.gguf: there is no such file",
        "--driver sofware | --driver must be auto, cuda, software or the path of a library; it is"
            + " \"sofware\", did you mean software?",
        "--buckets pow3:8 | --buckets: \"pow3\" in \"pow3:8\" is no kind of buckets; try pow2:64,"
            + " step:8:64, list:1,2,4x128,512, vllm:256, sglang:256, tensorrt-llm:256 or"
            + " file:buckets.json",
        "--driver 7 | --driver must be auto, cuda, software or the path of a library; it is \"7\"",
        "--driver ./libnone.so | --driver ./libnone.so: there is no such file",
        "--tempature 1 | unknown option --tempature; did you mean --temperature?",
        "--maxtokens=5 | unknown option --maxtokens; did you mean --max-tokens?",
        "--temp 1 | unknown option --temp; did you mean --temperature?",
        "--frobnicate | unknown option --frobnicate",
        "Once upon | unexpected argument \"Once\"; a text of several words needs quotes",
      })
  void isOneLineThatNamesTheFlagAndTheRemedy(String arguments, String message) {
    CommandRun run = CommandRun.withoutEngine(("generate " + arguments).split(" "));
    assertThat(run.err()).isEqualTo("reprise generate: " + message + SEE + System.lineSeparator());
    assertThat(run.code()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
  }

  @Test
  void aFolderIsNoModel(@TempDir Path folder) {
    CommandRun run = CommandRun.withoutEngine("generate", "--model", folder.toString());
    assertThat(run.err())
        .startsWith("reprise generate: --model " + folder + ": this is not a file");
    assertThat(run.code()).isEqualTo(2);
  }

  @Test
  void aCommandThatIsUnknownSuggestsTheNearest() {
    CommandRun run = CommandRun.withoutEngine("generat");
    assertThat(run.err())
        .isEqualTo(
            "reprise: unknown command \"generat\"; did you mean generate? (see \"reprise --help\")"
                + System.lineSeparator());
    assertThat(run.code()).isEqualTo(2);
  }

  @Test
  void withoutACommandTheCommandsAreListedOnStandardError() {
    CommandRun run = CommandRun.withoutEngine();
    assertThat(run.err())
        .contains("Usage: reprise")
        .contains("generate")
        .contains("Writes text from a prompt");
    assertThat(run.out()).isEmpty();
    assertThat(run.code()).isEqualTo(2);
  }
}
