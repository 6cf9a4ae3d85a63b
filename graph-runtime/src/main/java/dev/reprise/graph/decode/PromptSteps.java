package dev.reprise.graph.decode;

import dev.reprise.graph.bucket.Bucket;
import dev.reprise.graph.bucket.BucketSet;
import dev.reprise.graph.schedule.Decision;
import dev.reprise.graph.schedule.Decision.Chunk;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The shapes of steps over prompts: rows in powers of two up to the most of a chunk, with no logits
 * row while prompts go on, one for the end of a prompt, and powers of two for several ends.
 */
final class PromptSteps {

  private final BucketSet buckets;
  private final int maxLogitRows;

  PromptSteps(DecodeOptions options) {
    this.buckets = buckets(options);
    this.maxLogitRows = options.buckets().maxRows();
  }

  /** The buckets that prompts are cut into. */
  static BucketSet buckets(DecodeOptions options) {
    List<Integer> rows = new ArrayList<>();
    for (int r = 1; r < options.prefillRows(); r *= 2) {
      rows.add(r);
    }
    rows.add(options.prefillRows());
    return BucketSet.of(rows, List.of(options.buckets().maxContext()));
  }

  /** The smallest shape that chunks fit. */
  StepShape shape(Decision.Prefill<DecodeSequence> prefill) {
    int context = 0;
    int ends = 0;
    boolean penalized = false;
    boolean adapted = false;
    for (Chunk<DecodeSequence> chunk : prefill.chunks()) {
      DecodeSequence sequence = chunk.sequence();
      context = Math.max(context, chunk.to());
      adapted |= sequence.adapted();
      if (chunk.last()) {
        ends++;
        penalized |= sequence.sampling().penalties().active();
      }
    }
    Bucket bucket = buckets.smallest(prefill.positions(), context).orElseThrow();
    return new StepShape(bucket, logitRows(bucket, ends), penalized, adapted, true);
  }

  private int logitRows(Bucket bucket, int ends) {
    int power = ends == 0 ? 0 : Integer.highestOneBit(2 * ends - 1);
    return Math.min(power, Math.min(bucket.rows(), maxLogitRows));
  }

  /** The shapes that one prompt alone needs, the largest first. */
  Set<StepShape> ofOnePrompt(boolean penalized, boolean adapted) {
    Set<StepShape> shapes = new LinkedHashSet<>();
    for (Bucket bucket : buckets.largestFirst()) {
      shapes.add(new StepShape(bucket, 1, penalized, adapted, true));
      shapes.add(new StepShape(bucket, 0, false, adapted, true));
    }
    return shapes;
  }

  /** The shapes of steps in which several prompts end, the largest first. */
  Set<StepShape> ofSeveralEnds(boolean penalized, boolean adapted) {
    Set<StepShape> shapes = new LinkedHashSet<>();
    for (Bucket bucket : buckets.largestFirst()) {
      int most = logitRows(bucket, Math.min(bucket.rows(), maxLogitRows));
      for (int ends = most; ends > 1; ends--) {
        shapes.add(new StepShape(bucket, logitRows(bucket, ends), penalized, adapted, true));
      }
    }
    return shapes;
  }
}
