package dev.reprise.kernels.variant;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Which variant runs on which shape. A shape that is not in it takes the default variant at once;
 * nothing is ever measured for the sake of a launch. Immutable.
 */
public final class VariantTable {

  /** The defaults for every shape. */
  public static final VariantTable DEFAULTS = new VariantTable(Map.of());

  private final Map<TunableShape, KernelVariant> variants;
  private final String signature;

  private VariantTable(Map<TunableShape, KernelVariant> variants) {
    this.variants = Map.copyOf(variants);
    this.signature = variants.isEmpty() ? "default" : digest(variants);
  }

  /** A table of these choices. */
  public static VariantTable of(Map<TunableShape, KernelVariant> variants) {
    return new VariantTable(variants);
  }

  /** The choice for a shape; empty where the default runs. */
  public Optional<KernelVariant> find(TunableShape shape) {
    return Optional.ofNullable(variants.get(shape));
  }

  /** All choices. */
  public Map<TunableShape, KernelVariant> choices() {
    return variants;
  }

  /** Equal only for equal tables: part of the key of every graph. {@code default} for no choice. */
  public String signature() {
    return signature;
  }

  private static String digest(Map<TunableShape, KernelVariant> variants) {
    String text =
        variants.entrySet().stream()
            .map(entry -> entry.getKey() + " " + entry.getValue().text())
            .sorted()
            .collect(Collectors.joining("\n"));
    try {
      MessageDigest sha = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(sha.digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every JDK has SHA-256.", e);
    }
  }
}
