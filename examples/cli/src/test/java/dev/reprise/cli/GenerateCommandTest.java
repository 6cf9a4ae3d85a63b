package dev.reprise.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedWriter;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class GenerateCommandTest {
  private final List<GenerateOptions> asked = new ArrayList<>();

  private GenerateReport engine(GenerateOptions options, StoryEngine.TextSink sink) {
    asked.add(options);
    boolean more = sink.text(", there") && sink.text("") && sink.text(" was");
    return Reports.story(more ? GenerateReport.Finish.LENGTH : GenerateReport.Finish.CANCELLED);
  }

  @Test
  void withoutOptionsItGoesOnGreedilyFromAStoryOpening() {
    CommandRun run = CommandRun.of(this::engine, "generate");
    assertThat(run.code()).isZero();
    GenerateOptions options = asked.getFirst();
    assertThat(options.model()).isEmpty();
    assertThat(options.prompt()).isEqualTo("Once upon a time");
    assertThat(options.maxTokens()).isEqualTo(256);
    assertThat(options.sampling().isGreedy()).isTrue();
    assertThat(options.sampling().hasFilters()).isFalse();
    assertThat(options.eager()).isFalse();
    assertThat(options.driver()).isEmpty();
  }

  @Test
  void everyOptionReachesTheEngine(@TempDir Path folder) throws IOException {
    Path model = Files.createFile(folder.resolve("model.gguf"));
    Path adapter = Files.createFile(folder.resolve("adapter.gguf"));
    Path variants = folder.resolve("variants");
    CommandRun run =
        CommandRun.of(
            this::engine,
            ("generate --model "
                    + model
                    + " --adapter "
                    + adapter
                    + " --kernels "
                    + variants
                    + " --prompt Max --max-tokens 7 --temperature 0.5 --top-k 40 --top-p 0.9"
                    + " --min-p=0.05 --repetition-penalty 1.25 --presence-penalty 0.5 --frequency-penalty=-0.25 --seed -3 --eager --driver software --verbose")
                .split(" "));
    assertThat(run.err()).isEmpty();
    assertThat(asked)
        .containsExactly(
            new GenerateOptions(
                Optional.of(model),
                Optional.of(adapter),
                "Max",
                7,
                new GenerateOptions.Sampling(
                    0.5f, 40, 0.9f, 0.05f, -3, new GenerateOptions.Penalties(1.25f, 0.5f, -0.25f)),
                true,
                Optional.empty(),
                Optional.of(variants),
                Optional.of("software")));
  }

  @Test
  void bucketsReachTheEngineAsAPolicy() {
    CommandRun run = CommandRun.of(this::engine, "generate", "--buckets", "list:1,4x128,512");
    assertThat(run.code()).isZero();
    assertThat(asked.getFirst().buckets()).hasToString("Optional[list:1,4x128,512]");
  }

  @Test
  void aStoryIsTheSameInBucketsOfMoreRows() {
    List<String> texts = new ArrayList<>();
    for (String buckets : List.of("list:1", "list:2x16,512", "pow2:1x512")) {
      CommandRun run =
          CommandRun.of(
              new DecodeStoryEngine(),
              "generate",
              "--max-tokens",
              "12",
              "--json",
              "--buckets",
              buckets);
      assertThat(run.err()).isEmpty();
      JsonNode json = JsonMapper.shared().readTree(run.out());
      texts.add(json.get("text").stringValue());
      assertThat(json.get("replays").intValue()).as(buckets).isEqualTo(11);
      assertThat(json.get("graphs_captured").intValue())
          .as(buckets)
          .isEqualTo(buckets.contains("16") ? 2 : 1);
    }
    assertThat(texts).hasSize(3).containsOnly(texts.getFirst());
  }

  @Test
  void stepsInCellsThatAFileMarksAsEagerRunEagerlyAndTheStoryIsTheSame(@TempDir Path folder)
      throws IOException {
    Path file = folder.resolve("b.json");
    Files.writeString(
        file,
        "{\"format\":\"reprise-buckets\",\"version\":1,"
            + "\"replayed\":[{\"rows\":1,\"context\":16},"
            + "{\"rows\":1,\"context\":512,\"splits\":2}],"
            + "\"eager\":[{\"rows\":1,\"context\":20}]}");
    List<String> texts = new ArrayList<>();
    for (String buckets : List.of("list:1", "file:" + file)) {
      CommandRun run =
          CommandRun.of(
              new DecodeStoryEngine(),
              "generate",
              "--max-tokens",
              "24",
              "--json",
              "--buckets",
              buckets);
      assertThat(run.err()).isEmpty();
      JsonNode json = JsonMapper.shared().readTree(run.out());
      texts.add(json.get("text").stringValue());
      int eager = buckets.equals("list:1") ? 0 : 4;
      assertThat(json.get("eager_steps").intValue()).as(buckets).isEqualTo(eager);
      assertThat(json.get("replays").intValue()).as(buckets).isEqualTo(23 - eager);
    }
    assertThat(texts).hasSize(2).containsOnly(texts.getFirst());
  }

  @Test
  void bucketsThatTheModelCannotServeAreRefused() {
    CommandRun longer =
        CommandRun.of(new DecodeStoryEngine(), "generate", "--buckets", "list:1x1024");
    assertThat(longer.err())
        .startsWith(
            "reprise generate: list:1x1024 has a bucket of 1024 positions, but the model has 512")
        .hasLineCount(1);
  }

  @Test
  void promptAndTextAreFollowedByTheTable() {
    CommandRun run = CommandRun.of(this::engine, "generate");
    assertThat(run.out().lines().toList())
        .startsWith(
            "Once upon a time, there was", "", "model     Tiny Stories, 1.12 million parameters")
        .hasSize(2 + ReportTable.lines(Reports.story(GenerateReport.Finish.LENGTH)).size());
    assertThat(run.err()).isEmpty();
  }

  @Test
  void eachPieceIsWrittenAtOnce() {
    StringWriter out = new StringWriter();
    List<String> seen = new ArrayList<>();
    StoryEngine engine =
        (options, sink) -> {
          for (String piece : List.of("a", "b", "c")) {
            assertThat(sink.text(piece)).isTrue();
            seen.add(out.toString());
          }
          return Reports.story(GenerateReport.Finish.STOP);
        };
    // A writer that holds back what is not flushed, as standard output does.
    Writer buffered = new BufferedWriter(out, 1 << 16);
    Main.commandLine(engine, new ByteArrayInputStream(new byte[0]))
        .setOut(new PrintWriter(buffered))
        .execute("generate", "--prompt", ">");
    assertThat(seen).containsExactly(">a", ">ab", ">abc");
  }

  @Test
  void jsonIsOneObjectAndNothingElse() {
    CommandRun run = CommandRun.of(this::engine, "generate", "--json", "--prompt", "Zoë \"said\"");
    assertThat(run.out().lines()).hasSize(1);
    JsonNode json = JsonMapper.shared().readTree(run.out());
    assertThat(json.get("text").asString()).isEqualTo(", there was");
    assertThat(json.get("prompt").asString()).isEqualTo("Zoë \"said\"");
    assertThat(run.err()).isEmpty();
  }

  @Test
  void aDashReadsThePromptWithoutItsLineEnd() {
    CommandRun.withInput("One windy day,\n", this::engine, "generate", "--prompt", "-");
    CommandRun.withInput("One\r\n\r\n", this::engine, "generate", "--prompt=-");
    CommandRun.withInput("", this::engine, "generate", "--prompt", "-");
    assertThat(asked)
        .extracting(GenerateOptions::prompt)
        .containsExactly("One windy day,", "One\r\n", "");
  }

  @Test
  void eachRunWithoutASeedHasAnother() {
    CommandRun.of(this::engine, "generate", "--temperature", "1");
    CommandRun.of(this::engine, "generate", "--temperature", "1");
    CommandRun.of(this::engine, "generate", "--temperature", "1");
    assertThat(asked.stream().map(options -> options.sampling().seed()).distinct())
        .hasSizeGreaterThan(1);
  }

  @Test
  void filtersWithoutEffectAreSaid() {
    CommandRun run = CommandRun.of(this::engine, "generate", "--top-k", "5");
    assertThat(run.code()).isZero();
    assertThat(run.err())
        .contains("--top-k, --top-p and --min-p have no effect at --temperature 0");
  }

  @Test
  void aClosedOutputEndsTheGenerationAndFailsTheRun() {
    Writer closed =
        new Writer() {
          @Override
          public void write(char[] text, int start, int count) throws IOException {
            throw new IOException("Broken pipe");
          }

          @Override
          public void flush() throws IOException {
            throw new IOException("Broken pipe");
          }

          @Override
          public void close() {}
        };
    StringWriter err = new StringWriter();
    List<Boolean> answers = new ArrayList<>();
    StoryEngine engine =
        (options, sink) -> {
          answers.add(sink.text("lost"));
          return Reports.story(GenerateReport.Finish.CANCELLED);
        };
    int code =
        Main.commandLine(engine, new ByteArrayInputStream(new byte[0]))
            .setOut(new PrintWriter(closed))
            .setErr(new PrintWriter(err))
            .execute("generate");
    assertThat(answers).containsExactly(false);
    assertThat(code).isEqualTo(1);
    assertThat(err.toString()).contains("standard output was closed");
  }
}
