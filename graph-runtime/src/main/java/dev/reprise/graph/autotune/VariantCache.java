package dev.reprise.graph.autotune;

import dev.reprise.graph.json.JsonDocument;
import dev.reprise.graph.json.JsonFormatException;
import dev.reprise.graph.json.JsonValue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Choices in a file, one file an environment. A file that is corrupt, or was made elsewhere and
 * carries this one's name, is ignored with a warning and never touched: who put it there may want
 * it.
 */
final class VariantCache {

  private static final Logger LOG = LoggerFactory.getLogger(VariantCache.class);

  private static final String FORMAT = "reprise-kernel-variants";
  private static final int VERSION = 1;
  private static final JsonMapper MAPPER = JsonMapper.shared();

  private final Path file;
  private final TuningEnvironment environment;
  private final Map<CachedChoice.Key, CachedChoice> choices = new LinkedHashMap<>();
  private CacheState state;
  private String reason = "";

  private VariantCache(Path file, TuningEnvironment environment) {
    this.file = file;
    this.environment = environment;
    this.state = CacheState.ABSENT;
  }

  /** Reads the file of an environment, if there is one. */
  static VariantCache open(Path folder, TuningEnvironment environment) {
    VariantCache cache = new VariantCache(folder.resolve(environment.fileName()), environment);
    // A dangling link is something that is there, and is left alone too.
    if (Files.exists(cache.file, LinkOption.NOFOLLOW_LINKS)) {
      cache.state = CacheState.USED;
      try {
        cache.read(JsonDocument.read(cache.file));
      } catch (JsonFormatException e) {
        cache.ignore(CacheState.CORRUPT, String.valueOf(e.getMessage()));
      }
    }
    return cache;
  }

  private void read(JsonValue json) {
    json.knows("format", "version", "device", "driver", "kernels", "choices");
    json.field("format").oneOf(List.of(FORMAT));
    json.field("version").whole(VERSION, VERSION);
    TuningEnvironment there =
        new TuningEnvironment(
            json.field("device").text(), json.field("driver").text(), json.field("kernels").text());
    for (JsonValue item : json.field("choices").items()) {
      item.knows("operation", "dtype", "shape", "strides", "mask", "variant", "standard_us", "us");
      CachedChoice choice =
          new CachedChoice(
              new CachedChoice.Key(
                  item.field("operation").text(),
                  item.field("dtype").text(),
                  item.field("shape").text(),
                  item.field("strides").text(),
                  item.field("mask").text()),
              item.field("variant").text(),
              item.field("standard_us").amount(),
              item.field("us").amount());
      if (choices.put(choice.key(), choice) != null) {
        throw item.error(item.path() + " is a shape that was there before; keep one");
      }
    }
    if (!there.equals(environment)) {
      ignore(
          CacheState.FOREIGN,
          "%s: it was made for %s, and here is %s".formatted(file, there, environment));
    }
  }

  /** Leaves the file alone from now on. */
  void ignore(CacheState why, String problem) {
    state = why;
    reason = problem;
    choices.clear();
    LOG.warn(
        "The kernel variants kept in {} are ignored, and the file is left as it is; remove it to"
            + " have another written: {}",
        file,
        problem);
  }

  Path file() {
    return file;
  }

  CacheState state() {
    return state;
  }

  /** Why the file is ignored; empty if it is not. */
  String reason() {
    return reason;
  }

  Map<CachedChoice.Key, CachedChoice> choices() {
    return Map.copyOf(choices);
  }

  /**
   * Adds choices and writes the file whole, unless it is ignored. What cannot be written is logged:
   * the choices hold for this process all the same.
   */
  void add(Collection<CachedChoice> fresh) {
    if (!state.writable() || fresh.isEmpty()) {
      return;
    }
    fresh.forEach(choice -> choices.put(choice.key(), choice));
    try {
      Path folder = file.toAbsolutePath().getParent();
      Files.createDirectories(folder);
      Path fragment = Files.createTempFile(folder, "variants", ".part");
      try {
        Files.writeString(fragment, json());
        Files.move(fragment, file, StandardCopyOption.ATOMIC_MOVE);
      } finally {
        Files.deleteIfExists(fragment);
      }
    } catch (IOException e) {
      reason = "it cannot be written: " + e;
      LOG.warn("The kernel variants chosen are not kept: cannot write {}: {}", file, e.toString());
    }
  }

  private String json() {
    ObjectNode json = MAPPER.createObjectNode();
    json.put("format", FORMAT);
    json.put("version", VERSION);
    json.put("device", environment.device());
    json.put("driver", environment.driver());
    json.put("kernels", environment.kernels());
    ArrayNode list = json.putArray("choices");
    for (CachedChoice choice : choices.values()) {
      list.addObject()
          .put("operation", choice.key().operation())
          .put("dtype", choice.key().dtype())
          .put("shape", choice.key().shape())
          .put("strides", choice.key().strides())
          .put("mask", choice.key().mask())
          .put("variant", choice.variant())
          .put("standard_us", choice.standardMicros())
          .put("us", choice.micros());
    }
    return MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(json) + "\n";
  }
}
