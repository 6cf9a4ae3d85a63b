package dev.reprise.graph.tune;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.graph.json.JsonDocument;
import dev.reprise.graph.json.JsonFormatException;
import dev.reprise.graph.json.JsonValue;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The short way to read a line of a trace, against the JSON parser. */
class TraceLineTest {

  private static final long SEED = Long.getLong("reprise.test.seed", 20260101L);

  private final TraceLine line = new TraceLine();

  /** What the short way read must be what the parser reads. */
  private void assertLikeTheParser(String text) {
    JsonValue json = JsonDocument.parse("trace", 1, text);
    if (line.isSteps()) {
      json.knows("rows", "positions", "steps");
      assertThat(line.rows()).as(text).isEqualTo(json.field("rows").whole(1));
      assertThat(line.positions()).as(text).isEqualTo(json.field("positions").whole(1));
      assertThat(line.steps())
          .as(text)
          .isEqualTo(json.has("steps") ? json.field("steps").whole(1) : 1);
    } else {
      json.knows("at_ms", "prompt", "output");
      assertThat(line.arrival())
          .as(text)
          .isEqualTo(
              new Arrival(
                  json.field("at_ms").amount(),
                  json.field("prompt").whole(1),
                  json.field("output").whole(1)));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"rows\":8,\"positions\":1030,\"steps\":12}",
        "{\"rows\": 8, \"positions\": 1030}",
        "\t{ \"steps\" : 999999999 , \"positions\":1,\"rows\":3 } ",
        "{\"at_ms\": 12.5, \"prompt\": 120, \"output\": 64}",
        "{\"output\":1,\"at_ms\":0,\"prompt\":2}",
        "{\"at_ms\":0.1,\"prompt\":1,\"output\":1}",
        "{\"at_ms\":123456789.1234567,\"prompt\":1,\"output\":1}",
      })
  void plainLinesAreReadAsTheParserReadsThem(String text) {
    assertThat(line.read(text)).isTrue();
    assertLikeTheParser(text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "``",
        "{}",
        "7",
        "{\"rows\":8}",
        "{\"rows\":8,\"positions\":0}",
        "{\"rows\":-8,\"positions\":1}",
        "{\"rows\":08,\"positions\":1}",
        "{\"rows\":8.0,\"positions\":1}",
        "{\"rows\":1e3,\"positions\":1}",
        "{\"rows\":8,\"positions\":1,\"rows\":8}",
        "{\"rows\":8,\"positions\":1,\"prompt\":8}",
        "{\"rows\":8,\"position\":1}",
        "{\"rows\":8,\"positions\":1,}",
        "{\"rows\":8,\"positions\":1} x",
        "{\"rows\":8,\"positions\":1",
        "{\"rows\":8,\"positions\":12345678901}",
        "{\"r\\u006fws\":8,\"positions\":1}",
        "{\"rows\":\"8\",\"positions\":1}",
        "{\"at_ms\":1.,\"prompt\":1,\"output\":1}",
        "{\"at_ms\":1.25e2,\"prompt\":1,\"output\":1}",
        "{\"at_ms\":1.1234567890123456789,\"prompt\":1,\"output\":1}",
        "{\"at_ms\":1,\"prompt\":1}",
        "{\"rows\":8,\"positions\":1,\"at_ms\":1,\"prompt\":1,\"output\":1}",
      })
  void everythingElseIsLeftToTheParser(String text) {
    assertThat(line.read(text)).isFalse();
  }

  @Test
  void linesWithRandomDamageAreReadAlikeOrNotAtAll() {
    Random random = new Random(SEED);
    int taken = 0;
    for (int i = 0; i < 20_000; i++) {
      List<String> fields = new ArrayList<>();
      if (random.nextBoolean()) {
        fields.add("\"rows\":" + (1 + random.nextInt(300)));
        fields.add("\"positions\": " + (1 + random.nextInt(9000)));
        if (random.nextBoolean()) {
          fields.add("\"steps\":" + (1 + random.nextInt(9)));
        }
      } else {
        fields.add("\"at_ms\":" + random.nextInt(100_000) / 100.0);
        fields.add("\"prompt\":" + (1 + random.nextInt(300)));
        fields.add("\"output\": " + (1 + random.nextInt(300)));
      }
      Collections.shuffle(fields, random);
      StringBuilder text = new StringBuilder("{" + String.join(", ", fields) + "}");
      if (random.nextInt(3) == 0) {
        char other = "0123456789.-+eE\"{}:, x\\".charAt(random.nextInt(23));
        text.setCharAt(random.nextInt(text.length()), other);
      }
      if (line.read(text.toString())) {
        taken++;
        try {
          assertLikeTheParser(text.toString());
        } catch (JsonFormatException e) {
          throw new AssertionError("seed " + SEED + ": the parser refuses " + text, e);
        }
      }
    }
    assertThat(taken).as("seed %d", SEED).isBetween(13_000, 19_999);
  }
}
