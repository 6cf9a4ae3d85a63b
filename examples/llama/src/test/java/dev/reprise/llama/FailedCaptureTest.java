package dev.reprise.llama;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.graph.bucket.Bucket;
import dev.reprise.graph.decode.DecodeLoop;
import dev.reprise.graph.decode.DecodeModel;
import dev.reprise.graph.decode.DecodeStatistics;
import dev.reprise.graph.decode.ModelInfo;
import dev.reprise.graph.decode.SamplingParameters;
import dev.reprise.graph.decode.Step;
import dev.reprise.graph.decode.StepBuffers;
import dev.reprise.graph.decode.StepShape;
import dev.reprise.graph.workspace.WorkspacePlan;
import dev.reprise.kernels.Kernels;
import java.util.Collection;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A capture that the driver invalidates is reported and counted, and its steps run eagerly. */
class FailedCaptureTest {

  @Test
  void stepsOfAnInvalidatedCaptureRunEagerlyAndAreCountedWithTheReason() {
    Golden.Case golden = Golden.cases().getFirst();
    try (TinyStories stories = TinyStories.f32();
        DecodeLoop loop =
            DecodeLoop.create(stories.device, new Saboteur(stories.model), stories.options())) {
      int[] tokens = TinyStories.tokens(loop, golden.promptIds(), SamplingParameters.greedy(), 20);
      assertThat(golden.continuation()).startsWith(tokens);
      DecodeStatistics statistics = loop.statistics();
      assertThat(statistics.captureFailures())
          .isEqualTo(Map.of("CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", 1L));
      assertThat(statistics.captures()).isEmpty();
      assertThat(statistics.replays()).isZero();
      assertThat(statistics.eagerSteps()).isEqualTo(19);
    }
  }

  /** A model whose step waits for the device in the middle of a capture, past the runtime. */
  private record Saboteur(DecodeModel model) implements DecodeModel {

    @Override
    public ModelInfo info() {
      return model.info();
    }

    @Override
    public Kernels kernels() {
      return model.kernels();
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
      Step step = model.prepare(buffers, shape);
      return stream -> {
        if (stream.isCapturing()) {
          assertThat(cuda_h.cuCtxSynchronize())
              .isEqualTo(cuda_h.CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED());
        }
        step.enqueue(stream);
      };
    }

    @Override
    public void close() {}
  }
}
