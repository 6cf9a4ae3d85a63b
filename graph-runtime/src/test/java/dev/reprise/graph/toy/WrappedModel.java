package dev.reprise.graph.toy;

import dev.reprise.graph.adapter.AdapterProjection;
import dev.reprise.graph.bucket.Bucket;
import dev.reprise.graph.decode.DecodeModel;
import dev.reprise.graph.decode.ModelInfo;
import dev.reprise.graph.decode.Step;
import dev.reprise.graph.decode.StepBuffers;
import dev.reprise.graph.decode.StepShape;
import dev.reprise.graph.workspace.WorkspacePlan;
import dev.reprise.kernels.Kernels;
import java.util.Collection;
import java.util.List;

/** A model with something of a test's around its steps. */
public record WrappedModel(DecodeModel model, Around around) implements DecodeModel {

  /** What a test puts around a step. */
  @FunctionalInterface
  public interface Around {
    Step step(Step step, StepBuffers buffers, StepShape shape);
  }

  @Override
  public ModelInfo info() {
    return model.info();
  }

  @Override
  public Kernels kernels() {
    return model.kernels();
  }

  @Override
  public List<AdapterProjection> adapterProjections() {
    return model.adapterProjections();
  }

  @Override
  public WorkspacePlan planWorkspace(int maxRows, int maxLogitRows) {
    return model.planWorkspace(maxRows, maxLogitRows);
  }

  @Override
  public WorkspacePlan planWorkspace(int maxRows, int maxLogitRows, Collection<Bucket> buckets) {
    return model.planWorkspace(maxRows, maxLogitRows, buckets);
  }

  @Override
  public int attentionSplits(Bucket bucket) {
    return model.attentionSplits(bucket);
  }

  @Override
  public Step prepare(StepBuffers buffers, StepShape shape) {
    return around.step(model.prepare(buffers, shape), buffers, shape);
  }

  @Override
  public void close() {}
}
