package dev.reprise.cli.gpucheck;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Rows of values under named columns. */
final class Table {

  /**
   * A column.
   *
   * @param key its name in JSON, with its unit
   * @param title its name for people, with its unit
   */
  record Column(String key, String title) {}

  private final String key;
  private final String title;
  private final List<Column> columns;
  private final List<List<Object>> rows = new ArrayList<>();

  Table(String key, String title, Column... columns) {
    this.key = key;
    this.title = title;
    this.columns = List.of(columns);
  }

  static Column column(String key, String title) {
    return new Column(key, title);
  }

  /** Adds a row: a text, whole number, {@code Double} or {@code Boolean} for each column. */
  void add(Object... values) {
    if (values.length != columns.size()) {
      throw new IllegalArgumentException(
          "table %s has %d columns; %d values were given"
              .formatted(key, columns.size(), values.length));
    }
    rows.add(List.of(values));
  }

  String key() {
    return key;
  }

  String title() {
    return title;
  }

  List<Column> columns() {
    return columns;
  }

  List<List<Object>> rows() {
    return Collections.unmodifiableList(rows);
  }
}
