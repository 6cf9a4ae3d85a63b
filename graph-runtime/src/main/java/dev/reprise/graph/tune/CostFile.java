package dev.reprise.graph.tune;

import dev.reprise.graph.bucket.Bucket;
import dev.reprise.graph.json.JsonDocument;
import dev.reprise.graph.json.JsonValue;
import dev.reprise.kernels.Attention;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A cost table in a JSON file, with what it was measured on. Reading is strict, as that of {@link
 * dev.reprise.graph.bucket.BucketFile}.
 *
 * @param device the device
 * @param driver its driver
 * @param softwareDevice whether the device is software, so that times say nothing about a GPU
 * @param model the model
 * @param method how the costs were found, in words
 * @param measured whether they were measured, and not assumed
 * @param table the costs
 */
public record CostFile(
    String device,
    String driver,
    boolean softwareDevice,
    String model,
    String method,
    boolean measured,
    CostTable table) {

  /** The value of the field {@code format}. */
  public static final String FORMAT = "reprise-costs";

  private static final int VERSION = 1;
  private static final JsonMapper MAPPER = JsonMapper.shared();

  /**
   * Reads a file.
   *
   * @throws IllegalArgumentException if it cannot be read or is not a cost file; the message names
   *     file, line, field and remedy
   */
  public static CostFile read(Path file) {
    return of(JsonDocument.read(file));
  }

  /**
   * Reads a text.
   *
   * @param name what errors call it
   */
  public static CostFile parse(String name, String json) {
    return of(JsonDocument.parse(name, 1, json));
  }

  private static CostFile of(JsonValue json) {
    json.knows(
        "format",
        "version",
        "device",
        "driver",
        "software_device",
        "model",
        "method",
        "measured",
        "samples");
    json.field("format").oneOf(List.of(FORMAT));
    json.field("version").whole(VERSION, VERSION);
    List<CostTable.Sample> samples = new ArrayList<>();
    for (JsonValue item : json.field("samples").items()) {
      item.knows(
          "rows", "context", "replay_us", "live_us", "eager_us", "capture_ms", "bytes", "splits");
      int context = item.field("context").whole(1);
      samples.add(
          new CostTable.Sample(
              item.field("rows").whole(1),
              context,
              item.field("replay_us").amount(),
              item.has("live_us") ? item.field("live_us").amount() : 0,
              item.field("eager_us").amount(),
              item.field("capture_ms").amount(),
              item.field("bytes").whole(0, Long.MAX_VALUE),
              item.has("splits")
                  ? (int) item.field("splits").whole(1, Attention.segments(context))
                  : Bucket.AUTO));
    }
    CostTable table;
    try {
      table = new CostTable(samples);
    } catch (IllegalArgumentException e) {
      throw json.field("samples").error("samples: " + e.getMessage());
    }
    return new CostFile(
        json.field("device").text(),
        json.field("driver").text(),
        json.field("software_device").flag(),
        json.field("model").text(),
        json.field("method").text(),
        json.field("measured").flag(),
        table);
  }

  /** The file's text. */
  public String json() {
    ObjectNode json = MAPPER.createObjectNode();
    json.put("format", FORMAT);
    json.put("version", VERSION);
    json.put("device", device);
    json.put("driver", driver);
    json.put("software_device", softwareDevice);
    json.put("model", model);
    json.put("method", method);
    json.put("measured", measured);
    ArrayNode list = json.putArray("samples");
    for (CostTable.Sample sample : table.samples()) {
      ObjectNode object = list.addObject();
      object
          .put("rows", sample.rows())
          .put("context", sample.context())
          .put("replay_us", sample.replayMicros())
          .put("live_us", sample.liveMicros())
          .put("eager_us", sample.eagerMicros())
          .put("capture_ms", sample.captureMillis())
          .put("bytes", sample.bytes());
      if (sample.splits() != Bucket.AUTO) {
        object.put("splits", sample.splits());
      }
    }
    return MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(json) + "\n";
  }

  /**
   * Writes the file, in place of one that is there.
   *
   * @throws UncheckedIOException if it cannot be written; the message names the file
   */
  public void write(Path file) {
    try {
      Files.writeString(file, json());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write " + file + ": " + e, e);
    }
  }
}
