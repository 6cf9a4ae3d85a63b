package dev.reprise.kernels.contract;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Resource use of all kernels as {@code build.sh} wrote it from {@code ptxas -v}. */
public final class ResourceTable {

  private static final String RESOURCE = "/dev/reprise/kernels/resources.tsv";
  private static final String TOOLKIT = "# toolkit\t";

  private final String toolkit;
  private final List<ResourceUse> uses;

  private ResourceTable(String toolkit, List<ResourceUse> uses) {
    this.toolkit = toolkit;
    this.uses = List.copyOf(uses);
  }

  private static final class Holder {
    static final ResourceTable TABLE = read();
  }

  /** The table that ships with the kernels. */
  public static ResourceTable load() {
    return Holder.TABLE;
  }

  /** Version of the CUDA toolkit that made the PTX, such as {@code 13.0.88}. */
  public String toolkit() {
    return toolkit;
  }

  /** The lines for one kernel, one a device architecture. */
  public List<ResourceUse> of(String kernel) {
    return uses.stream().filter(use -> use.kernel().equals(kernel)).toList();
  }

  /** All lines. */
  public List<ResourceUse> all() {
    return uses;
  }

  private static ResourceTable read() {
    InputStream in = ResourceTable.class.getResourceAsStream(RESOURCE);
    if (in == null) {
      throw new IllegalStateException("The jar of the kernels lacks " + RESOURCE + ".");
    }
    String toolkit = "";
    List<ResourceUse> uses = new ArrayList<>();
    try (BufferedReader reader =
        new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        if (line.startsWith(TOOLKIT)) {
          toolkit = line.substring(TOOLKIT.length());
        } else if (!line.startsWith("#")) {
          uses.add(parse(line));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read " + RESOURCE + ".", e);
    }
    return new ResourceTable(toolkit, uses);
  }

  private static ResourceUse parse(String line) {
    String[] f = line.split("\t", -1);
    if (f.length != 8) {
      throw new IllegalStateException(
          "%s: a line has %d fields and not 8: %s".formatted(RESOURCE, f.length, line));
    }
    return new ResourceUse(
        f[0],
        f[1],
        f[2],
        Integer.parseInt(f[3]),
        Integer.parseInt(f[4]),
        Integer.parseInt(f[5]),
        Integer.parseInt(f[6]),
        Integer.parseInt(f[7]));
  }
}
