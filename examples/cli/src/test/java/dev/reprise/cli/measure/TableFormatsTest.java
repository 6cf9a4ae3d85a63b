package dev.reprise.cli.measure;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;

class TableFormatsTest {

  private static Table table() {
    Table table =
        new Table(
            "t",
            "A table",
            Table.column("name", "name"),
            Table.column("time_us", "time, µs"),
            Table.column("count", "count"));
    table.add("a|b", 1234.5678, 3);
    table.add("say \"x\", y", Double.NaN, 4_000_000_000L);
    return table;
  }

  @Test
  void markdownHasTitlesAndShortNumbers() {
    assertThat(TableFormats.markdown(table()))
        .containsExactly(
            "| name | time, µs | count |",
            "| --- | --- | --- |",
            "| a\\|b | 1235 | 3 |",
            "| say \"x\", y | – | 4000000000 |");
  }

  @Test
  void csvHasKeysFullNumbersAndQuotes() {
    assertThat(TableFormats.csv(table()))
        .containsExactly(
            "name,time_us,count", "a|b,1234.5678,3", "\"say \"\"x\"\", y\",,4000000000");
  }

  @Test
  void jsonHasAnObjectForEachRowAndNullForWhatIsNoNumber() {
    ArrayNode json = JsonMapper.shared().createArrayNode();
    TableFormats.json(json, table());
    assertThat(json.toString())
        .isEqualTo(
            "[{\"name\":\"a|b\",\"time_us\":1234.5678,\"count\":3},"
                + "{\"name\":\"say \\\"x\\\", y\",\"time_us\":null,\"count\":4000000000}]");
  }
}
