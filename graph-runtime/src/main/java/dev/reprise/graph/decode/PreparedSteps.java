package dev.reprise.graph.decode;

import dev.reprise.graph.bucket.Bucket;
import dev.reprise.graph.cache.GraphKey;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The steps of a runner, each prepared once, by shape and result slot. */
final class PreparedSteps {

  private final DecodeModel model;
  private final StepMemory memory;
  private final GraphKey.Environment environment;
  private final int slots;

  /** By shape, then by result slot. */
  private final Map<StepShape, @Nullable PreparedStep[]> steps = new LinkedHashMap<>();

  PreparedSteps(DecodeModel model, StepMemory memory, GraphKey.Environment environment, int slots) {
    this.model = model;
    this.memory = memory;
    this.environment = environment;
    this.slots = slots;
  }

  /** The step of a shape and a result slot. */
  PreparedStep get(StepShape shape, int slot) {
    @Nullable PreparedStep[] bySlot = steps.get(shape);
    if (bySlot == null) {
      bySlot = new @Nullable PreparedStep[slots];
      steps.put(shape, bySlot);
    }
    PreparedStep step = bySlot[slot];
    if (step == null) {
      step = prepare(shape, slot);
      bySlot[slot] = step;
    }
    return step;
  }

  private PreparedStep prepare(StepShape shape, int slot) {
    boolean prefill = shape.prefill();
    Step step =
        new SampledStep(
            model.prepare(memory.buffers(prefill, slot), shape),
            model.kernels(),
            memory.inputs(prefill),
            memory.outputs,
            memory.history,
            model.info().vocabulary(),
            shape,
            slot,
            !prefill);
    Bucket bucket = shape.bucket();
    GraphKey key =
        new GraphKey(
            shape.adapted() && memory.adapters != null
                ? environment.withAdapter(memory.adapters.signature())
                : environment,
            bucket.rows(),
            bucket.context(),
            model.attentionSplits(bucket),
            shape.logitRows(),
            slot,
            shape.penalized(),
            prefill);
    return new PreparedStep(shape, slot, key, step);
  }

  /** The step that was wanted most and has no graph; null if none is wanted. */
  @Nullable PreparedStep mostWanted() {
    PreparedStep most = null;
    for (@Nullable PreparedStep[] bySlot : steps.values()) {
      for (PreparedStep step : bySlot) {
        if (step != null
            && step.wantsCapture()
            && (most == null || step.misses() > most.misses())) {
          most = step;
        }
      }
    }
    return most;
  }

  /** How the buckets of decode steps were used. */
  Map<Bucket, BucketUse> use() {
    Map<Bucket, BucketUse> buckets = new LinkedHashMap<>();
    steps.forEach((shape, bySlot) -> {
      if (!shape.prefill()) {
        buckets.merge(shape.bucket(), BucketUse.of(shape, bySlot), BucketUse::plus);
      }
    });
    return buckets;
  }
}
