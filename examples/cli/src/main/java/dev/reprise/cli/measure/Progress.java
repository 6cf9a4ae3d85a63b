package dev.reprise.cli.measure;

import java.io.PrintWriter;
import java.util.Locale;

/**
 * Tells how far a measurement is: on a terminal by a bar that is drawn again, elsewhere by a line
 * at each quarter.
 */
public final class Progress {

  private static final int WIDTH = 30;

  private final PrintWriter out;
  private final String name;
  private final boolean terminal;
  private final boolean silent;
  private String phase = "";
  private int total;
  private int done;

  private Progress(PrintWriter out, String name, boolean terminal, boolean silent) {
    this.out = out;
    this.name = name;
    this.terminal = terminal;
    this.silent = silent;
  }

  /**
   * Tells.
   *
   * @param name begins each line
   * @param terminal whether lines can be drawn again
   */
  public static Progress on(PrintWriter out, String name, boolean terminal) {
    return new Progress(out, name, terminal, false);
  }

  /** Tells nothing. */
  public static Progress none() {
    return new Progress(new PrintWriter(java.io.Writer.nullWriter()), "", false, true);
  }

  /** Begins a phase of a number of steps. */
  public void begin(String what, int steps) {
    phase = what;
    total = steps;
    done = 0;
    show("…");
  }

  /** A step is done. */
  public void step() {
    int before = 4 * done / Math.max(1, total);
    done = Math.min(done + 1, total);
    if (terminal) {
      show(bar());
      if (done == total) {
        out.println();
      }
    } else if (4 * done / Math.max(1, total) > before) {
      show("%d%%".formatted(100 * done / total));
    }
  }

  private String bar() {
    int filled = WIDTH * done / Math.max(1, total);
    return String.format(
        Locale.ROOT,
        "[%s%s] %3d%%",
        "#".repeat(filled),
        " ".repeat(WIDTH - filled),
        100 * done / Math.max(1, total));
  }

  private void show(String state) {
    if (silent) {
      return;
    }
    String line = name + ": " + phase + " " + state;
    if (terminal) {
      out.print("\r" + line);
    } else {
      out.println(line);
    }
    out.flush();
  }
}
