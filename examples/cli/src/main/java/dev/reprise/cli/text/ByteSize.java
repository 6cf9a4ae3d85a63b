package dev.reprise.cli.text;

import java.util.Locale;

/** Sizes of memory for people. */
public final class ByteSize {
  private static final String[] UNITS = {"bytes", "KiB", "MiB", "GiB", "TiB"};

  private ByteSize() {}

  /** In the largest binary unit that fits, such as {@code 1.3 MiB}. */
  public static String text(long bytes) {
    double scaled = bytes;
    int unit = 0;
    while (scaled >= 1024 && unit < UNITS.length - 1) {
      scaled /= 1024;
      unit++;
    }
    return String.format(Locale.ROOT, unit == 0 ? "%.0f %s" : "%.1f %s", scaled, UNITS[unit]);
  }
}
