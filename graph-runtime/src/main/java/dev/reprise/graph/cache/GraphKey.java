package dev.reprise.graph.cache;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Everything that a captured step depends on. Two steps may share a graph only if all of it is
 * equal.
 *
 * @param environment what does not change while a decode loop runs
 * @param rows rows of the bucket
 * @param context positions of the bucket
 * @param splits blocks over which attention spreads the sequence of a row
 * @param logitRows rows for which logits are computed and sampled
 * @param resultSlot where the step leaves its results: steps in flight at a time have different
 *     ones
 * @param penalized whether logits are penalized before they are sampled
 * @param prefill whether it is a step over prompts, with inputs of its own
 */
public record GraphKey(
    Environment environment,
    int rows,
    int context,
    int splits,
    int logitRows,
    int resultSlot,
    boolean penalized,
    boolean prefill) {

  /**
   * The part of a key that a decode loop fixes when it starts.
   *
   * @param model digest of the model's weights and settings
   * @param adapter signature of the adapters, {@code none} without
   * @param weights element type of the weights
   * @param activations element type of the activations
   * @param kvLayout the layout of the KV blocks
   * @param kernels digest of the kernels' code, with the signature of the variants that run
   * @param attention how attention is cut into tiles and segments
   * @param device the device's identity
   * @param driver the driver's library and version
   */
  public record Environment(
      String model,
      String adapter,
      String weights,
      String activations,
      String kvLayout,
      String kernels,
      String attention,
      String device,
      String driver) {

    /** The signature of a step without adapters. */
    public static final String NO_ADAPTERS = "none";

    /** The same with adapters. */
    public Environment withAdapter(String signature) {
      return new Environment(
          model, signature, weights, activations, kvLayout, kernels, attention, device, driver);
    }
  }

  /** The names of the fields in which this key differs from another, in order of declaration. */
  public List<String> differences(GraphKey other) {
    Map<String, Object> mine = fields();
    Map<String, Object> theirs = other.fields();
    List<String> names = new ArrayList<>();
    mine.forEach((name, value) -> {
      if (!value.equals(theirs.get(name))) {
        names.add(name);
      }
    });
    return names;
  }

  private Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("model", environment.model);
    fields.put("adapter", environment.adapter);
    fields.put("weights", environment.weights);
    fields.put("activations", environment.activations);
    fields.put("kvLayout", environment.kvLayout);
    fields.put("kernels", environment.kernels);
    fields.put("attention", environment.attention);
    fields.put("device", environment.device);
    fields.put("driver", environment.driver);
    fields.put("rows", rows);
    fields.put("context", context);
    fields.put("splits", splits);
    fields.put("logitRows", logitRows);
    fields.put("resultSlot", resultSlot);
    fields.put("penalized", penalized);
    fields.put("prefill", prefill);
    return fields;
  }
}
