package dev.reprise.cli.tune;

import dev.reprise.graph.bucket.Bucket;
import dev.reprise.graph.tune.BucketEvaluation;
import dev.reprise.graph.tune.TunerLimits;
import java.util.Collection;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** A tuning as one JSON object, for programs. Names stay. */
final class TuneJson {

  private static final JsonMapper MAPPER = JsonMapper.shared();

  private TuneJson() {}

  static String line(TuneReport report) {
    ObjectNode json = MAPPER.createObjectNode();
    StepSource workload = report.workload();
    json.putObject("workload")
        .put("source", workload.source())
        .put("steps", workload.steps().steps())
        .put("max_rows", workload.steps().maxRows())
        .put("max_positions", workload.steps().maxPositions())
        .put("cut_requests", workload.cutRequests());
    CostSource costs = report.costs();
    json.putObject("costs")
        .put("source", costs.facts().source())
        .put("measured", costs.facts().measured())
        .put("software_device", costs.softwareDevice())
        .put("device", costs.facts().device())
        .put("model", costs.facts().model());
    limits(json.putObject("limits"), report.limits());
    json.put("tune_s", report.tuneSeconds());
    ObjectNode tuned = json.putObject("tuned");
    evaluation(tuned, report.tuned());
    buckets(tuned.putArray("replayed"), report.set().largestFirst().reversed());
    buckets(tuned.putArray("eager_buckets"), report.set().eager().reversed());
    ArrayNode comparisons = json.putArray("comparisons");
    for (TuneReport.Comparison comparison : report.comparisons()) {
      ObjectNode node = comparisons.addObject().put("name", comparison.name());
      evaluation(node.putObject("theirs"), comparison.theirs());
      evaluation(node.putObject("ours"), comparison.ours());
    }
    ArrayNode curve = json.putArray("curve");
    report
        .curve()
        .forEach(point ->
            curve
                .addObject()
                .put("graphs", point.graphs())
                .put("mean_step_us", point.meanStepMicros()));
    report.explanation().ifPresent(found -> explanation(json.putObject("explain"), found));
    return MAPPER.writeValueAsString(json);
  }

  private static void limits(ObjectNode json, TunerLimits limits) {
    json.put("graphs", limits.graphs());
    if (limits.bytes() == Long.MAX_VALUE) {
      json.putNull("bytes");
    } else {
      json.put("bytes", limits.bytes());
    }
    json.put("context_step", limits.contextStep());
    json.put("capture_weight", limits.captureWeight());
  }

  private static void evaluation(ObjectNode json, BucketEvaluation evaluation) {
    json.put("graphs", evaluation.graphs())
        .put("mean_step_us", evaluation.meanStepMicros())
        .put("padding_share", evaluation.paddingShare())
        .put("eager_share", TuneText.eagerShare(evaluation))
        .put("capture_ms", evaluation.captureMillis())
        .put("bytes", evaluation.bytes());
  }

  private static void buckets(ArrayNode list, Collection<Bucket> buckets) {
    buckets.forEach(bucket -> bucket(list.addObject(), bucket));
  }

  private static void bucket(ObjectNode json, Bucket bucket) {
    json.put("rows", bucket.rows()).put("context", bucket.context());
  }

  private static void explanation(ObjectNode json, Explanation found) {
    bucket(json, found.bucket());
    json.put("state", found.state().label())
        .put("steps", found.steps())
        .put("padding_share", found.paddingShare())
        .put("with_us", found.withMicros())
        .put("without_us", found.withoutMicros())
        .put("capture_ms", found.captureMillis());
    if (found.breakEvenSteps().isPresent()) {
      json.put("break_even_steps", found.breakEvenSteps().getAsLong());
    } else {
      json.putNull("break_even_steps");
    }
    ArrayNode elsewhere = json.putArray("elsewhere");
    for (Explanation.Elsewhere other : found.elsewhere()) {
      ObjectNode node = elsewhere.addObject();
      other
          .bucket()
          .ifPresentOrElse(b -> bucket(node.putObject("bucket"), b), () -> node.putNull("bucket"));
      node.put("steps", other.steps());
    }
  }
}
