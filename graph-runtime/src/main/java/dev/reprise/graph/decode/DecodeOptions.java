package dev.reprise.graph.decode;

import dev.reprise.graph.bucket.BucketSet;
import java.util.ArrayList;
import java.util.List;

/**
 * How a decode loop runs.
 *
 * @param buckets the shapes for which decode steps are captured
 * @param prefillRows the most rows of a prompt that are computed in one step
 * @param kvBlocks blocks of the KV pool, the null block included
 * @param eager whether decode steps run by plain launches instead of replays
 */
public record DecodeOptions(BucketSet buckets, int prefillRows, int kvBlocks, boolean eager) {

  /** Checks the sizes. */
  public DecodeOptions {
    if (prefillRows < 1) {
      throw new IllegalArgumentException("A prefill step needs at least one row: " + prefillRows);
    }
  }

  /** One sequence of up to the model's context, in buckets of one row. */
  public static DecodeOptions forOneSequence(ModelInfo model) {
    List<Integer> contexts = new ArrayList<>();
    for (int context = 256; context < model.maxContext(); context *= 4) {
      contexts.add(context);
    }
    contexts.add(model.maxContext());
    return new DecodeOptions(
        BucketSet.of(List.of(1), contexts),
        Math.min(32, model.maxContext()),
        model.kv().blocksFor(model.maxContext()) + 1,
        false);
  }

  /** The same with decode steps run eagerly, or not. */
  public DecodeOptions withEager(boolean runEagerly) {
    return new DecodeOptions(buckets, prefillRows, kvBlocks, runEagerly);
  }

  /** The same with other buckets. */
  public DecodeOptions withBuckets(BucketSet other) {
    return new DecodeOptions(other, prefillRows, kvBlocks, eager);
  }
}
