package dev.reprise.kernels;

import dev.reprise.cuda.ComputeCapability;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The PTX text of all modules for one virtual architecture, as committed.
 *
 * @param capability the least compute capability it runs on
 * @param modules text by module name, in the order of the names
 */
record PtxVariant(ComputeCapability capability, Map<String, String> modules) {

  private static final List<ComputeCapability> AVAILABLE = List.of(new ComputeCapability(7, 5));

  static final List<String> MODULES =
      List.of(
          "activation",
          "attention",
          "embed",
          "lora",
          "matmul",
          "norm",
          "penalty",
          "rope",
          "sample",
          "step");

  /**
   * The newest variant that a device runs.
   *
   * @throws IllegalArgumentException when the device is older than all of them
   */
  static PtxVariant select(ComputeCapability device) {
    ComputeCapability chosen =
        AVAILABLE.stream()
            .filter(device::isAtLeast)
            .max(Comparator.naturalOrder())
            .orElseThrow(() ->
                new IllegalArgumentException(
                    "The kernels need a device of compute capability %s or newer; this one is %s."
                        .formatted(AVAILABLE.getFirst(), device)));
    Map<String, String> modules = new TreeMap<>();
    for (String module : MODULES) {
      modules.put(module, read(chosen, module));
    }
    return new PtxVariant(chosen, modules);
  }

  /** Name of the virtual architecture, such as {@code compute_75}. */
  String target() {
    return target(capability);
  }

  private static String target(ComputeCapability capability) {
    return "compute_" + capability.major() + capability.minor();
  }

  /** SHA-256 over names and texts of the modules, in hexadecimal. */
  String digest() {
    try {
      MessageDigest sha = MessageDigest.getInstance("SHA-256");
      modules.forEach((name, text) -> {
        sha.update((target() + "/" + name + "\0").getBytes(StandardCharsets.UTF_8));
        sha.update(text.getBytes(StandardCharsets.UTF_8));
        sha.update((byte) 0);
      });
      return HexFormat.of().formatHex(sha.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every JDK has SHA-256.", e);
    }
  }

  private static String read(ComputeCapability capability, String module) {
    String path = "/dev/reprise/kernels/%s/%s.ptx".formatted(target(capability), module);
    try (InputStream in = PtxVariant.class.getResourceAsStream(path)) {
      if (in == null) {
        throw new IllegalStateException("The jar of the kernels lacks " + path + ".");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read " + path + ".", e);
    }
  }
}
