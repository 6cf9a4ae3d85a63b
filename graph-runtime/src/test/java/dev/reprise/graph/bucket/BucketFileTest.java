package dev.reprise.graph.bucket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BucketFileTest {

  private static final BucketEvidence EVIDENCE =
      new BucketEvidence(
          Instant.parse("2026-02-03T04:05:06Z"),
          "reprise tune 0.1.0",
          new BucketEvidence.Workload("a trace", 1000, 8, 512),
          new BucketEvidence.Costs("measured", true, "a device", "a model"),
          new BucketEvidence.Limits(4, OptionalLong.of(1L << 40), 16, 0.5),
          new BucketEvidence.Expected(123.25, 0.125, 0.5, 12.75, 4096));

  private static final BucketSet SET =
      BucketSet.of(
          List.of(new Bucket(1, 64), new Bucket(8, 64), new Bucket(8, 512, 2)),
          List.of(new Bucket(1, 512)));

  @Test
  void whatIsWrittenReadsBackWhole(@TempDir Path folder) {
    Path file = folder.resolve("buckets.json");
    new BucketFile(SET, Optional.of(EVIDENCE)).write(file);
    BucketFile read = BucketFile.read(file);
    assertThat(read.buckets()).hasToString(SET.toString());
    assertThat(read.buckets().largestFirst())
        .containsExactly(new Bucket(8, 512, 2), new Bucket(8, 64), new Bucket(1, 64));
    assertThat(read.evidence()).contains(EVIDENCE);
  }

  @Test
  void noLimitOnBytesReadsBackToo() {
    BucketEvidence unlimited =
        new BucketEvidence(
            EVIDENCE.made(),
            EVIDENCE.tool(),
            EVIDENCE.workload(),
            EVIDENCE.costs(),
            new BucketEvidence.Limits(4, OptionalLong.empty(), 16, 0),
            EVIDENCE.expected());
    String json = new BucketFile(SET, Optional.of(unlimited)).json();
    assertThat(json).contains("\"bytes\" : null");
    assertThat(BucketFile.parse("f", json).evidence()).contains(unlimited);
  }

  @Test
  void aFileWrittenByHandNeedsNoEvidence() {
    BucketFile file =
        BucketFile.parse(
            "hand.json",
            "{\"format\": \"reprise-buckets\", \"version\": 1,\n"
                + " \"replayed\": [{\"rows\": 2, \"context\": 16}]}");
    assertThat(file.buckets()).hasToString("2 rows × 16");
    assertThat(file.evidence()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "\"rows\": 8, \"context\": 64 | \"rows\": 0, \"context\": 64"
            + " | buckets.json:5: replayed[1].rows is 0; it must be a whole number of at least 1",
        "\"rows\": 8, \"context\": 64 | \"rows\": 8.5, \"context\": 64 | replayed[1].rows is 8.5",
        "\"rows\": 8, \"context\": 64 | \"rows\": \"8\", \"context\": 64"
            + " | replayed[1].rows is \"8\"; it must be a whole number",
        "\"rows\": 8, \"context\": 64 | \"rows\": 99999999999999999999, \"context\": 64"
            + " | replayed[1].rows is 99999999999999999999",
        "\"rows\": 8, \"context\": 64 | \"rows\": 8 | buckets.json:5: replayed[1]: the field"
            + " \"context\" is missing",
        "\"rows\": 8, \"context\": 64 | \"row\": 8, \"context\": 64 | buckets.json:5: unknown field"
            + " replayed[1].row; the fields here are rows, context, splits",
        "\"rows\": 8, \"context\": 64 | \"rows\": 8, \"context\": 512, \"splits\": 3"
            + " | buckets.json:5: replayed[1].splits is 3; it must be a whole number from 1 to 2",
        "\"rows\": 8, \"context\": 64 | \"rows\": 8, \"context\": 512, \"splits\": 0"
            + " | replayed[1].splits is 0; it must be a whole number from 1 to 2",
        "\"rows\": 8, \"context\": 64 | \"rows\": 1, \"context\": 64, \"splits\": 1"
            + " | buckets.json:5: replayed[1] is 1x64/1 a second time; keep one",
        "\"rows\": 8, \"context\": 64 | \"rows\": 8, \"rows\": 8, \"context\": 64"
            + " | buckets.json:5: replayed[1].rows is given twice; keep one",
        "\"rows\": 8, \"context\": 64 | \"rows\": 1, \"context\": 64"
            + " | buckets.json:5: replayed[1] is 1x64 a second time; keep one",
        "\"rows\": 8, \"context\": 64 | \"rows\": 1, \"context\": 512"
            + " | Bucket 1x512 is listed both as replayed and as eager; keep it in one",
        "\"version\": 1 | \"version\": 2 | buckets.json:2: version is 2; it must be a whole number"
            + " from 1 to 1",
        "reprise-buckets | other | buckets.json:1: format is \"other\"; it must be"
            + " \"reprise-buckets\"",
        "\"eager\": [ | \"eager\": 7, \"x\": [ | unknown field x; the fields here are format,",
        "\"version\": 1 | \"version\" 1 | buckets.json:2: this is not JSON: ",
      })
  void whatIsWrongIsNamedWithFileLineFieldAndRemedy(String from, String to, String message) {
    String good =
        """
        {"format": "reprise-buckets",
         "version": 1,
         "replayed": [
           {"rows": 1, "context": 64},
           {"rows": 8, "context": 64}
         ],
         "eager": [{"rows": 1, "context": 512}]}
        """;
    assertThat(BucketFile.parse("buckets.json", good).buckets().maxRows()).isEqualTo(8);
    assertThat(good).contains(from);
    assertThatThrownBy(() -> BucketFile.parse("buckets.json", good.replace(from, to)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("buckets.json:")
        .hasMessageContaining(message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "2026-02-03T04:05:06Z | yesterday | evidence.made is \"yesterday\"; it must be a time such",
        "\"measured\" : true | \"measured\" : 1 | evidence.costs.measured is 1; it must be true or",
        "\"mean_step_us\" : 123.25 | \"mean_step_us\" : -1 | evidence.expected.mean_step_us is -1",
        "\"source\" : \"a trace\" | \"source\" : [] | evidence.workload.source is a list; it must"
            + " be a text",
      })
  void evidenceIsReadAsStrictly(String from, String to, String message) {
    String json = new BucketFile(SET, Optional.of(EVIDENCE)).json();
    assertThat(json).contains(from);
    assertThatThrownBy(() -> BucketFile.parse("b.json", json.replace(from, to)))
        .hasMessageStartingWith("b.json:")
        .hasMessageContaining(message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      nullValues = "none",
      value = {
        "`` | there is nothing in it",
        "7 | the document is 7; it must be an object",
        "{} | the field \"format\" is missing",
        "{} {} | something follows the JSON value",
        "[1 | this is not JSON",
      })
  void whatIsNoBucketFileAtAllIsRefused(String text, String message) {
    assertThatThrownBy(() -> BucketFile.parse("x.json", text))
        .hasMessageStartingWith("x.json:1: ")
        .hasMessageContaining(message);
  }

  @Test
  void filesThatCannotBeReadOrWrittenAreNamed(@TempDir Path folder) throws IOException {
    Path missing = folder.resolve("none.json");
    assertThatThrownBy(() -> BucketFile.read(missing))
        .hasMessage(missing + ": there is no such file");
    assertThatThrownBy(() -> BucketFile.read(folder))
        .hasMessage(folder + ": this is a folder; name the file in it");
    Path latin = folder.resolve("latin.json");
    Files.write(latin, new byte[] {'"', (byte) 0xe9, '"'});
    assertThatThrownBy(() -> BucketFile.read(latin)).hasMessageContaining("is not UTF-8");
    Path nowhere = folder.resolve("no/such/folder.json");
    assertThatThrownBy(() -> new BucketFile(SET, Optional.empty()).write(nowhere))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("cannot write " + nowhere);
  }
}
