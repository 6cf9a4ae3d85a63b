package dev.reprise.graph.decode;

import java.util.List;

/** A step that failed, with the sequences that it concerns. */
final class StepFailure extends Exception {

  private static final long serialVersionUID = 1L;

  private final transient List<DecodeSequence> sequences;
  private final RuntimeException failure;

  StepFailure(List<DecodeSequence> sequences, RuntimeException failure) {
    super(failure);
    this.sequences = sequences;
    this.failure = failure;
  }

  List<DecodeSequence> sequences() {
    return sequences;
  }

  RuntimeException failure() {
    return failure;
  }
}
