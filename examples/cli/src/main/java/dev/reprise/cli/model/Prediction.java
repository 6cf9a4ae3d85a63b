package dev.reprise.cli.model;

import dev.reprise.cli.text.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Numbers that were computed and not measured.
 *
 * @param name of the part of the model
 * @param basis what they are computed from, in words
 * @param facts single numbers
 * @param columns of a table; none when there is no table
 * @param rows of the table, a value for each column
 */
public record Prediction(
    String name, String basis, List<Fact> facts, List<Column> columns, List<List<Object>> rows) {

  private static final JsonMapper MAPPER = JsonMapper.shared();

  /**
   * A number or text.
   *
   * @param key its name in JSON, with its unit
   * @param title its name for people
   * @param value a text, whole number, double or boolean
   * @param text how people read it
   */
  public record Fact(String key, String title, Object value, String text) {}

  /**
   * A column.
   *
   * @param key its name in JSON, with its unit
   * @param title its heading for people
   */
  public record Column(String key, String title) {}

  /** For people: lines without line ends. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add("prediction, not measured: " + basis);
    lines.add("");
    int width = facts.stream().mapToInt(fact -> fact.title.length()).max().orElse(0);
    for (Fact fact : facts) {
      lines.add(fact.title + " ".repeat(width - fact.title.length()) + "  " + fact.text);
    }
    if (!columns.isEmpty()) {
      if (!facts.isEmpty()) {
        lines.add("");
      }
      TextTable table = new TextTable(columns.stream().map(Column::title).toArray(String[]::new));
      rows.forEach(row -> table.add(row.stream().map(Prediction::text).toArray(String[]::new)));
      lines.addAll(table.lines());
    }
    return lines;
  }

  /** A number to four digits or so; an infinite one as people write it. */
  static String text(Object value) {
    return switch (value) {
      case Double number when number.isInfinite() -> "no bound";
      case Double number when Math.abs(number) >= 1000 ->
          String.format(Locale.ROOT, "%,.0f", number);
      case Double number when Math.abs(number) >= 100 -> String.format(Locale.ROOT, "%.1f", number);
      case Double number -> String.format(Locale.ROOT, "%.2f", number);
      case Long number -> String.format(Locale.ROOT, "%,d", number);
      case Boolean flag -> flag ? "yes" : "no";
      default -> value.toString();
    };
  }

  /** For programs: one JSON object on one line. */
  public String json() {
    ObjectNode json = MAPPER.createObjectNode();
    json.put("model", name);
    json.put("measured", false);
    json.put("basis", basis);
    facts.forEach(fact -> put(json, fact.key, fact.value));
    if (!columns.isEmpty()) {
      ArrayNode list = json.putArray("rows");
      for (List<Object> row : rows) {
        ObjectNode node = list.addObject();
        for (int i = 0; i < columns.size(); i++) {
          put(node, columns.get(i).key, row.get(i));
        }
      }
    }
    return MAPPER.writeValueAsString(json);
  }

  /** JSON has no infinity: null. */
  private static void put(ObjectNode json, String key, Object value) {
    switch (value) {
      case Double number when !Double.isFinite(number) -> json.putNull(key);
      case Double number -> json.put(key, number);
      case Integer number -> json.put(key, number);
      case Long number -> json.put(key, number);
      case Boolean flag -> json.put(key, flag);
      default -> json.put(key, value.toString());
    }
  }
}
