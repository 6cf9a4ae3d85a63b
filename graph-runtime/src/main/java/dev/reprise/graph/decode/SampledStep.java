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
 * as the inputs of the next step, and copied to the host. A step without logits rows ends with the
 * model's part.
 */
final class SampledStep implements Step {

  private final Step model;
  private final @Nullable PreparedLaunch sample;
  private final @Nullable PreparedLaunch advance;
  private final StepOutputs outputs;

  SampledStep(
      Step model,
      Kernels kernels,
      StaticInputs inputs,
      StepOutputs outputs,
      int vocabulary,
      StepShape shape) {
    this.model = model;
    this.outputs = outputs;
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
                outputs.sampled(),
                outputs.status(),
                logitRows,
                rows,
                vocabulary);
    advance =
        kernels
            .stepAdvance()
            .advance(
                outputs.sampled(),
                inputs.span(RowInput.LOGIT_ROWS),
                inputs.span(RowInput.TOKENS),
                inputs.span(RowInput.POSITIONS),
                outputs.ring(),
                outputs.step(),
                outputs.status(),
                logitRows,
                rows,
                StepOutputs.RING);
  }

  @Override
  public void enqueue(Stream stream) {
    model.enqueue(stream);
    if (sample != null && advance != null) {
      stream.launch(sample);
      stream.launch(advance);
      outputs.copyToHost(stream);
    }
  }
}
