package dev.reprise.bindings;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * One function of the bindings: the symbol that libraries export, and how {@code cuGetProcAddress}
 * names the same entry point.
 *
 * @param exported the exported symbol, with its ABI suffix ({@code cuMemAlloc_v2})
 * @param base the name for {@code cuGetProcAddress} ({@code cuMemAlloc})
 * @param version the CUDA version that introduced this ABI, as 1000 × major + 10 × minor
 */
public record DriverSymbol(String exported, String base, int version) {

  private static final String TABLE = "driver-symbols.txt";

  /** Every function of the generated bindings by its exported symbol, in alphabetical order. */
  public static Map<String, DriverSymbol> all() {
    return Table.SYMBOLS;
  }

  private static final class Table {
    static final Map<String, DriverSymbol> SYMBOLS = read();

    private static Map<String, DriverSymbol> read() {
      Map<String, DriverSymbol> symbols = new TreeMap<>();
      try (InputStream in = DriverSymbol.class.getResourceAsStream(TABLE)) {
        if (in == null) {
          throw new IllegalStateException("The bindings were packaged without " + TABLE);
        }
        var lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.US_ASCII));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          if (line.startsWith("#")) {
            continue;
          }
          String[] field = line.split(" ", -1);
          symbols.put(field[0], new DriverSymbol(field[0], field[1], Integer.parseInt(field[2])));
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return Collections.unmodifiableMap(symbols);
    }
  }
}
