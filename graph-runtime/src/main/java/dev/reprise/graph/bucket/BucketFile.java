package dev.reprise.graph.bucket;

import dev.reprise.graph.json.JsonDocument;
import dev.reprise.graph.json.JsonValue;
import dev.reprise.kernels.Attention;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A bucket set in a JSON file, with the evidence that led to it.
 *
 * <p>Reading is strict: a field that is unknown, missing, given twice or out of range is refused
 * with file, line and field. A file written by hand needs {@code format}, {@code version} and
 * {@code replayed} alone. A bucket's {@code splits} may be left out, and the model decides.
 *
 * @param buckets the set
 * @param evidence why; empty for a file written by hand
 */
public record BucketFile(BucketSet buckets, Optional<BucketEvidence> evidence) {

  /** The value of the field {@code format}. */
  public static final String FORMAT = "reprise-buckets";

  private static final int VERSION = 1;
  private static final JsonMapper MAPPER = JsonMapper.shared();

  /**
   * Reads a file.
   *
   * @throws IllegalArgumentException if it cannot be read or is not a bucket file; the message
   *     names file, line, field and remedy
   */
  public static BucketFile read(Path file) {
    return of(JsonDocument.read(file));
  }

  /**
   * Reads a text.
   *
   * @param name what errors call it
   */
  public static BucketFile parse(String name, String json) {
    return of(JsonDocument.parse(name, 1, json));
  }

  private static BucketFile of(JsonValue json) {
    json.knows("format", "version", "replayed", "eager", "evidence");
    json.field("format").oneOf(List.of(FORMAT));
    json.field("version").whole(VERSION, VERSION);
    List<Bucket> replayed = buckets(json.field("replayed"));
    List<Bucket> eager = json.optional("eager").map(BucketFile::buckets).orElse(List.of());
    if (replayed.isEmpty() && eager.isEmpty()) {
      throw json.error("there is no bucket in it; \"replayed\" needs at least one");
    }
    BucketSet set;
    try {
      set = BucketSet.of(replayed, eager);
    } catch (IllegalArgumentException e) {
      throw json.error(e.getMessage() + "; keep it in one of the two lists");
    }
    return new BucketFile(set, json.optional("evidence").map(BucketFile::evidence));
  }

  private static List<Bucket> buckets(JsonValue list) {
    List<Bucket> buckets = new ArrayList<>();
    for (JsonValue item : list.items()) {
      item.knows("rows", "context", "splits");
      int rows = item.field("rows").whole(1);
      int context = item.field("context").whole(1);
      int splits =
          item.has("splits")
              ? (int) item.field("splits").whole(1, Attention.segments(context))
              : Bucket.AUTO;
      Bucket bucket = new Bucket(rows, context, splits);
      if (buckets.stream().anyMatch(b -> b.rows() == rows && b.context() == context)) {
        throw item.error(item.path() + " is " + bucket + " a second time; keep one");
      }
      buckets.add(bucket);
    }
    return buckets;
  }

  private static BucketEvidence evidence(JsonValue json) {
    json.knows("made", "tool", "workload", "costs", "limits", "expected");
    JsonValue workload =
        json.field("workload").knows("source", "steps", "max_rows", "max_positions");
    JsonValue costs = json.field("costs").knows("source", "measured", "device", "model");
    JsonValue limits =
        json.field("limits").knows("graphs", "bytes", "context_step", "capture_weight");
    JsonValue expected =
        json.field("expected")
            .knows("mean_step_us", "padding_share", "eager_share", "capture_ms", "bytes");
    Optional<JsonValue> bytes = limits.optional("bytes");
    return new BucketEvidence(
        instant(json.field("made")),
        json.field("tool").text(),
        new BucketEvidence.Workload(
            workload.field("source").text(),
            workload.field("steps").whole(0, Long.MAX_VALUE),
            workload.field("max_rows").whole(0),
            workload.field("max_positions").whole(0)),
        new BucketEvidence.Costs(
            costs.field("source").text(),
            costs.field("measured").flag(),
            costs.field("device").text(),
            costs.field("model").text()),
        new BucketEvidence.Limits(
            limits.field("graphs").whole(0),
            bytes.isPresent()
                ? OptionalLong.of(bytes.get().whole(0, Long.MAX_VALUE))
                : OptionalLong.empty(),
            limits.field("context_step").whole(1),
            limits.field("capture_weight").amount()),
        new BucketEvidence.Expected(
            expected.field("mean_step_us").amount(),
            expected.field("padding_share").amount(),
            expected.field("eager_share").amount(),
            expected.field("capture_ms").amount(),
            expected.field("bytes").whole(0, Long.MAX_VALUE)));
  }

  private static Instant instant(JsonValue json) {
    try {
      return Instant.parse(json.text());
    } catch (DateTimeException e) {
      throw json.error(
          json.path()
              + " is \""
              + json.text()
              + "\"; it must be a time such as 2026-01-31T12:00:00Z");
    }
  }

  /** The file's text. */
  public String json() {
    ObjectNode json = MAPPER.createObjectNode();
    json.put("format", FORMAT);
    json.put("version", VERSION);
    put(json.putArray("replayed"), buckets.largestFirst().reversed());
    put(json.putArray("eager"), buckets.eager().reversed());
    evidence.ifPresent(found -> put(json.putObject("evidence"), found));
    return MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(json) + "\n";
  }

  private static void put(ArrayNode list, Collection<Bucket> buckets) {
    for (Bucket bucket : buckets) {
      ObjectNode item = list.addObject();
      item.put("rows", bucket.rows()).put("context", bucket.context());
      if (bucket.splits() != Bucket.AUTO) {
        item.put("splits", bucket.splits());
      }
    }
  }

  private static void put(ObjectNode json, BucketEvidence evidence) {
    json.put("made", evidence.made().toString());
    json.put("tool", evidence.tool());
    json.putObject("workload")
        .put("source", evidence.workload().source())
        .put("steps", evidence.workload().steps())
        .put("max_rows", evidence.workload().maxRows())
        .put("max_positions", evidence.workload().maxPositions());
    json.putObject("costs")
        .put("source", evidence.costs().source())
        .put("measured", evidence.costs().measured())
        .put("device", evidence.costs().device())
        .put("model", evidence.costs().model());
    ObjectNode limits = json.putObject("limits").put("graphs", evidence.limits().graphs());
    if (evidence.limits().bytes().isPresent()) {
      limits.put("bytes", evidence.limits().bytes().getAsLong());
    } else {
      limits.putNull("bytes");
    }
    limits
        .put("context_step", evidence.limits().contextStep())
        .put("capture_weight", evidence.limits().captureWeight());
    json.putObject("expected")
        .put("mean_step_us", evidence.expected().meanStepMicros())
        .put("padding_share", evidence.expected().paddingShare())
        .put("eager_share", evidence.expected().eagerShare())
        .put("capture_ms", evidence.expected().captureMillis())
        .put("bytes", evidence.expected().bytes());
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
