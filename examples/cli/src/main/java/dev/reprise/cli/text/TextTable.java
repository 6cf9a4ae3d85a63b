package dev.reprise.cli.text;

import java.util.ArrayList;
import java.util.List;

/** A table in plain text: the first column to the left, the others to the right. */
public final class TextTable {

  private final List<List<String>> rows = new ArrayList<>();

  /** A table with a heading for each column. */
  public TextTable(String... headings) {
    rows.add(List.of(headings));
  }

  /** Adds a row with a cell for each column. */
  public void add(String... cells) {
    if (cells.length != rows.getFirst().size()) {
      throw new IllegalArgumentException(
          "the table has %d columns, not %d".formatted(rows.getFirst().size(), cells.length));
    }
    rows.add(List.of(cells));
  }

  /** The lines, without blanks at their ends. */
  public List<String> lines() {
    int columns = rows.getFirst().size();
    int[] widths = new int[columns];
    for (List<String> row : rows) {
      for (int c = 0; c < columns; c++) {
        widths[c] = Math.max(widths[c], row.get(c).length());
      }
    }
    return rows.stream().map(row -> line(row, widths)).toList();
  }

  private static String line(List<String> row, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int c = 0; c < widths.length; c++) {
      String fill = " ".repeat(widths[c] - row.get(c).length());
      line.append(c == 0 ? row.get(c) + fill : "  " + fill + row.get(c));
    }
    return line.toString().stripTrailing();
  }
}
