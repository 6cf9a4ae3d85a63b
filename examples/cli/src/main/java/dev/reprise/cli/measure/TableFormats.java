package dev.reprise.cli.measure;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Tables as Markdown, CSV and JSON. What is no finite number is empty in CSV and null in JSON. */
public final class TableFormats {

  private TableFormats() {}

  /** Lines of a Markdown table, the headings first. */
  public static List<String> markdown(Table table) {
    List<String> lines = new ArrayList<>();
    lines.add(markdownRow(table.columns().stream().map(Table.Column::title).toList()));
    lines.add(markdownRow(table.columns().stream().map(column -> "---").toList()));
    table.rows().forEach(row -> lines.add(markdownRow(row)));
    return lines;
  }

  private static String markdownRow(List<?> values) {
    return values.stream()
        .map(TableFormats::markdownCell)
        .collect(Collectors.joining(" | ", "| ", " |"));
  }

  /** A value on one line, without what would end its cell. */
  public static String markdownCell(Object value) {
    return Numbers.text(value).replace("|", "\\|").replaceAll("\\R", " ");
  }

  /** Lines of CSV (RFC 4180), the keys first; numbers in full. */
  public static List<String> csv(Table table) {
    List<String> lines = new ArrayList<>();
    lines.add(csvRow(table.columns().stream().map(Table.Column::key).toList()));
    table.rows().forEach(row -> lines.add(csvRow(row)));
    return lines;
  }

  private static String csvRow(List<?> values) {
    return values.stream().map(TableFormats::csvCell).collect(Collectors.joining(","));
  }

  private static String csvCell(Object value) {
    if (value instanceof Double number && !Double.isFinite(number)) {
      return "";
    }
    String text = value.toString();
    return text.matches("(?s).*[\",\r\n].*") ? "\"" + text.replace("\"", "\"\"") + "\"" : text;
  }

  /** Adds an object for each row. */
  public static void json(ArrayNode json, Table table) {
    for (List<Object> row : table.rows()) {
      ObjectNode object = json.addObject();
      for (int i = 0; i < row.size(); i++) {
        put(object, table.columns().get(i).key(), row.get(i));
      }
    }
  }

  /** Adds a field. */
  public static void put(ObjectNode json, String name, Object value) {
    switch (value) {
      case Boolean flag -> json.put(name, flag);
      case Integer number -> json.put(name, number);
      case Long number -> json.put(name, number);
      case Double number when !Double.isFinite(number) -> json.putNull(name);
      case Double number -> json.put(name, number);
      default -> json.put(name, value.toString());
    }
  }
}
