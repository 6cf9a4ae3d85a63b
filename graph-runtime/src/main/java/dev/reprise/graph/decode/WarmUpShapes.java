package dev.reprise.graph.decode;

import dev.reprise.graph.bucket.Bucket;
import java.util.ArrayList;
import java.util.List;

/** The shapes of the steps that a warm-up captures. */
final class WarmUpShapes {

  private final PromptSteps prompts;
  private final boolean adapters;

  /**
   * @param adapters whether there is room for any
   */
  WarmUpShapes(PromptSteps prompts, boolean adapters) {
    this.prompts = prompts;
    this.adapters = adapters;
  }

  /** Those of the decode steps of a bucket. */
  List<StepShape> decode(Bucket bucket, WarmUpScope scope) {
    List<StepShape> shapes = new ArrayList<>();
    for (boolean penalized : choices(scope.penalties())) {
      for (boolean adapted : choices(adapters)) {
        shapes.add(new StepShape(bucket, bucket.rows(), penalized, adapted));
      }
    }
    return shapes;
  }

  /** Those of the steps over prompts: of single ones first, each kind the largest first. */
  List<StepShape> prompts(WarmUpScope scope) {
    List<StepShape> shapes = new ArrayList<>();
    for (boolean adapted : choices(adapters)) {
      for (boolean penalized : choices(scope.penalties())) {
        shapes.addAll(prompts.ofOnePrompt(penalized, adapted));
      }
    }
    if (scope.packedPrompts()) {
      for (boolean adapted : choices(adapters)) {
        for (boolean penalized : choices(scope.penalties())) {
          shapes.addAll(prompts.ofSeveralEnds(penalized, adapted));
        }
      }
    }
    return shapes;
  }

  private static List<Boolean> choices(boolean both) {
    return both ? List.of(false, true) : List.of(false);
  }
}
