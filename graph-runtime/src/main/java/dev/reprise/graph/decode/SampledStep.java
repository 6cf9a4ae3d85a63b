package dev.reprise.graph.decode;

import dev.reprise.cuda.PreparedLaunch;
import dev.reprise.cuda.Stream;
import dev.reprise.graph.input.RowInput;
import dev.reprise.graph.input.StaticInputs;
import dev.reprise.kernels.Kernels;
import dev.reprise.kernels.SamplingInputs;
import org.jspecify.annotations.Nullable;

/**
 * A model's step, followed by what every model needs: tokens are sampled from the logits, fed back
 * as the inputs of the next decode step, and copied to the host with the status word.
 */
final class SampledStep implements Step {

  private final Step model;
  private final @Nullable PreparedLaunch sample;
  private final @Nullable PreparedLaunch advance;
  private final StepOutputs outputs;
  private final int slot;

  /**
   * @param feedsBack whether the sampled tokens become the inputs of the next step
   */
  SampledStep(
      Step model,
      Kernels kernels,
      StaticInputs inputs,
      StepOutputs outputs,
      int vocabulary,
      StepShape shape,
      int slot,
      boolean feedsBack) {
    this.model = model;
    this.outputs = outputs;
    this.slot = slot;
    int logitRows = shape.logitRows();
    if (logitRows == 0) {
      sample = null;
      advance = null;
      return;
    }
    int rows = shape.bucket().rows();
    sample =
        kernels
            .sampling()
            .sample(
                outputs.logitsSpan(),
                new SamplingInputs(
                    inputs.span(RowInput.TEMPERATURE),
                    inputs.span(RowInput.TOP_K),
                    inputs.span(RowInput.TOP_P),
                    inputs.span(RowInput.MIN_P),
                    inputs.span(RowInput.SEEDS)),
                inputs.span(RowInput.LOGIT_ROWS),
                inputs.span(RowInput.POSITIONS),
                outputs.sampled(slot),
                outputs.status(slot),
                logitRows,
                rows,
                vocabulary);
    if (!feedsBack) {
      advance = null;
      return;
    }
    advance =
        kernels
            .stepAdvance()
            .advance(
                outputs.sampled(slot),
                inputs.span(RowInput.LOGIT_ROWS),
                inputs.span(RowInput.TOKENS),
                inputs.span(RowInput.POSITIONS),
                outputs.ring(),
                outputs.step(),
                outputs.status(slot),
                logitRows,
                rows,
                StepOutputs.RING);
  }

  @Override
  public void enqueue(Stream stream) {
    model.enqueue(stream);
    if (sample != null) {
      stream.launch(sample);
      if (advance != null) {
        stream.launch(advance);
      }
    }
    // The status word of a step without logits is read as well.
    outputs.copyToHost(stream, slot);
  }
}
