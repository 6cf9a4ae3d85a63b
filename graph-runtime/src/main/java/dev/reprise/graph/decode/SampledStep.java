package dev.reprise.graph.decode;

import dev.reprise.cuda.PreparedLaunch;
import dev.reprise.cuda.Stream;
import dev.reprise.graph.input.RowInput;
import dev.reprise.graph.input.StaticInputs;
import dev.reprise.graph.input.TokenHistory;
import dev.reprise.kernels.Kernels;
import dev.reprise.kernels.PenaltyInputs;
import dev.reprise.kernels.SamplingInputs;
import org.jspecify.annotations.Nullable;

/**
 * A model's step, followed by what every model needs: logits are penalized where that is asked for,
 * tokens are sampled from them and recorded, fed back as the inputs of the next decode step, and
 * copied to the host with the status word.
 */
final class SampledStep implements Step {

  private final Step model;
  private final @Nullable PreparedLaunch penalize;
  private final @Nullable PreparedLaunch sample;
  private final @Nullable PreparedLaunch count;
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
      TokenHistory history,
      int vocabulary,
      StepShape shape,
      int slot,
      boolean feedsBack) {
    this.model = model;
    this.outputs = outputs;
    this.slot = slot;
    int logitRows = shape.logitRows();
    if (logitRows == 0) {
      penalize = null;
      sample = null;
      count = null;
      advance = null;
      return;
    }
    int rows = shape.bucket().rows();
    penalize = shape.penalized() ? penalize(kernels, inputs, history, vocabulary, shape) : null;
    count = shape.penalized() ? count(kernels, inputs, history, vocabulary, shape) : null;
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

  private PreparedLaunch penalize(
      Kernels kernels, StaticInputs inputs, TokenHistory history, int vocabulary, StepShape shape) {
    return kernels
        .penalties()
        .penalize(
            outputs.logitsSpan(),
            new PenaltyInputs(
                inputs.span(RowInput.REPETITION),
                inputs.span(RowInput.PRESENCE),
                inputs.span(RowInput.FREQUENCY)),
            history.span(),
            inputs.span(RowInput.HISTORY_SLOTS),
            inputs.span(RowInput.LOGIT_ROWS),
            inputs.span(RowInput.POSITIONS),
            outputs.status(slot),
            shape.logitRows(),
            shape.bucket().rows(),
            vocabulary,
            history.slots());
  }

  private PreparedLaunch count(
      Kernels kernels, StaticInputs inputs, TokenHistory history, int vocabulary, StepShape shape) {
    return kernels
        .penalties()
        .count(
            outputs.sampled(slot),
            inputs.span(RowInput.LOGIT_ROWS),
            inputs.span(RowInput.POSITIONS),
            inputs.span(RowInput.HISTORY_SLOTS),
            history.span(),
            outputs.status(slot),
            shape.logitRows(),
            shape.bucket().rows(),
            vocabulary,
            history.slots());
  }

  @Override
  public void enqueue(Stream stream) {
    model.enqueue(stream);
    if (sample != null) {
      if (penalize != null) {
        stream.launch(penalize);
      }
      stream.launch(sample);
      if (count != null) {
        stream.launch(count);
      }
      if (advance != null) {
        stream.launch(advance);
      }
    }
    // The status word of a step without logits is read as well.
    outputs.copyToHost(stream, slot);
  }
}
