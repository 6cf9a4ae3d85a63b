package dev.reprise.graph.decode;

import dev.reprise.graph.adapter.AdapterProjection;
import dev.reprise.graph.bucket.Bucket;
import dev.reprise.graph.workspace.WorkspacePlan;
import dev.reprise.kernels.Kernels;
import java.util.Collection;
import java.util.List;

/**
 * A model whose decode step can be captured: everything between the token ids of a step's rows and
 * the logits of its logits rows.
 *
 * <p>A row is one token of one sequence at one position. For each row the step writes its key and
 * value before attention reads them, so that a prompt is prefilled by the same step in chunks of
 * rows. What a live row computes may not depend on the other rows, on the size of the bucket, or on
 * what padding rows hold.
 */
public interface DecodeModel extends AutoCloseable {

  /** The model's sizes and identity; always the same. */
  ModelInfo info();

  /**
   * The kernels that the model's steps launch, which serve for sampling too; the model closes them.
   */
  Kernels kernels();

  /** The products to which adapters may add; none if the model has no adapters. */
  default List<AdapterProjection> adapterProjections() {
    return List.of();
  }

  /** What a step of up to {@code maxRows} rows and {@code maxLogitRows} logits rows needs. */
  WorkspacePlan planWorkspace(int maxRows, int maxLogitRows);

  /**
   * What steps of these sizes need.
   *
   * @param buckets all buckets that steps may be prepared for; as a rule their rows decide alone
   */
  default WorkspacePlan planWorkspace(int maxRows, int maxLogitRows, Collection<Bucket> buckets) {
    return planWorkspace(maxRows, maxLogitRows);
  }

  /**
   * Over how many blocks attention spreads the sequence of a row in a step of a bucket: what the
   * bucket says, else what suits its rows and its context. Always the same for the same bucket; a
   * part of the graph key.
   */
  default int attentionSplits(Bucket bucket) {
    return Math.max(1, bucket.splits());
  }

  /**
   * Prepares the launches of a step for one shape. The step may be enqueued any number of times,
   * and captured; all its addresses are fixed here. With no logits rows the step ends after the
   * last layer. If rows may have adapters, their launches follow those of the products.
   */
  Step prepare(StepBuffers buffers, StepShape shape);

  /** Frees the weights. */
  @Override
  void close();
}
