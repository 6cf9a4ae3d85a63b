package dev.reprise.graph.decode;

import dev.reprise.graph.schedule.Priority;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A sequence in an engine under test, and what became of it. */
final class Recorded implements SequenceListener {

  final DecodeSequence sequence;
  final List<Integer> tokens = new ArrayList<>();
  @Nullable FinishReason reason;
  @Nullable RuntimeException failure;

  private Recorded(
      DecodeEngine engine, String name, int[] prompt, SamplingParameters sampling, int count) {
    sequence =
        new DecodeSequence(
            name,
            prompt,
            engine.maxLength(prompt.length, count),
            sampling,
            Set.of(),
            Priority.NORMAL,
            "",
            Long.MAX_VALUE,
            this);
    engine.submit(sequence);
  }

  static Recorded submit(
      DecodeEngine engine, String name, int[] prompt, SamplingParameters sampling, int count) {
    return new Recorded(engine, name, prompt, sampling, count);
  }

  static void run(DecodeEngine engine) {
    while (engine.turn(0)) {}
  }

  int[] tokenArray() {
    return tokens.stream().mapToInt(Integer::intValue).toArray();
  }

  @Override
  public boolean onToken(int token) {
    tokens.add(token);
    return true;
  }

  @Override
  public void onEnd(FinishReason why, @Nullable RuntimeException what) {
    reason = why;
    failure = what;
  }
}
