package dev.reprise.cli.measure;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Rows of values under named columns. */
public final class Table {

  /**
   * A column.
   *
   * @param key its name in JSON, with its unit
   * @param title its name for people, with its unit
   */
  public record Column(String key, String title) {}

  private final String key;
  private final String title;
  private final List<Column> columns;
  private final List<List<Object>> rows = new ArrayList<>();

  /** An empty table. */
  public Table(String key, String title, Column... columns) {
    this.key = key;
    this.title = title;
    this.columns = List.of(columns);
  }

  /** A column, with its unit in both names. */
  public static Column column(String key, String title) {
    return new Column(key, title);
  }

  /** Adds a row: a text, whole number, {@code Double} or {@code Boolean} for each column. */
  public void add(Object... values) {
    if (values.length != columns.size()) {
      throw new IllegalArgumentException(
          "table %s has %d columns; %d values were given"
              .formatted(key, columns.size(), values.length));
    }
    rows.add(List.of(values));
  }

  /** Its name in JSON. */
  public String key() {
    return key;
  }

  /** Its name for people. */
  public String title() {
    return title;
  }

  /** The columns. */
  public List<Column> columns() {
    return columns;
  }

  /** The rows, a value for each column. */
  public List<List<Object>> rows() {
    return Collections.unmodifiableList(rows);
  }
}
