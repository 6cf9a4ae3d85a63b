package dev.reprise.kernels.check;

import dev.reprise.kernels.PenaltyInputs;
import dev.reprise.kernels.Span;
import dev.reprise.kernels.reference.PenaltyReference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Penalties, and the record of what sequences have seen. */
final class PenaltyCases {

  private static final int SLOTS = 3;
  private static final int IN_PROMPT = Integer.MIN_VALUE;

  private PenaltyCases() {}

  static List<KernelCase> all(boolean quick) {
    List<KernelCase> cases = new ArrayList<>();
    for (int vocab : quick ? new int[] {1, 257} : new int[] {1, 257, 32_000}) {
      cases.add(
          new KernelCase(
              "penalize_rows", "3 rows, %d tokens".formatted(vocab), b -> penalize(b, vocab)));
    }
    for (int rows : quick ? new int[] {5} : new int[] {5, 700}) {
      cases.add(new KernelCase("history_mark", "%d rows".formatted(rows), b -> mark(b, rows)));
      cases.add(new KernelCase("history_count", "%d rows".formatted(rows), b -> count(b, rows)));
    }
    return cases;
  }

  private static Agreement penalize(KernelCase.Bench bench, int vocab) {
    DeviceArrays gpu = bench.arrays();
    Random random = bench.random();
    float[] logits = Inputs.uniform(random, SLOTS * vocab, -8, 8);
    int[] history = new int[SLOTS * vocab];
    Arrays.setAll(
        history, i -> (random.nextBoolean() ? IN_PROMPT : 0) | Math.max(0, random.nextInt(8) - 4));
    float[] repetition = {1.3f, 1, 0.8f};
    float[] presence = {0.5f, 0, -0.25f};
    float[] frequency = {0.125f, 0, 1.5f};
    int[] slots = {2, 0, 1};
    double[] expected = new double[logits.length];
    for (int row = 0; row < SLOTS; row++) {
      int from = slots[row] * vocab;
      boolean[] inPrompt = new boolean[vocab];
      int[] generated = new int[vocab];
      for (int token = 0; token < vocab; token++) {
        inPrompt[token] = history[from + token] < 0;
        generated[token] = history[from + token] & ~IN_PROMPT;
      }
      double[] penalized =
          PenaltyReference.row(
              Arrays.copyOfRange(logits, row * vocab, (row + 1) * vocab),
              inPrompt,
              generated,
              repetition[row],
              presence[row],
              frequency[row]);
      System.arraycopy(penalized, 0, expected, row * vocab, vocab);
    }
    Span out = gpu.floats(logits);
    Span status = gpu.status();
    bench.run(
        bench
            .kernels()
            .penalties()
            .penalize(
                out,
                new PenaltyInputs(
                    gpu.floats(repetition), gpu.floats(presence), gpu.floats(frequency)),
                gpu.ints(history),
                gpu.ints(slots),
                gpu.ints(0, 1, 2),
                gpu.ints(0, 0, 0),
                status,
                SLOTS,
                SLOTS,
                vocab,
                SLOTS));
    return Agreement.within("logits", gpu.floats(out), expected, 1e-6, 4e-6)
        .and(Agreement.exact("status", gpu.ints(status), new int[1]));
  }

  private static Agreement mark(KernelCase.Bench bench, int rows) {
    DeviceArrays gpu = bench.arrays();
    Random random = bench.random();
    int vocab = 50;
    int[] tokens = random.ints(rows, 0, vocab).toArray();
    int[] positions = random.ints(rows, -1, 3).toArray();
    int[] slots = random.ints(rows, -1, SLOTS).toArray();
    int[] expected = new int[SLOTS * vocab];
    for (int row = 0; row < rows; row++) {
      if (positions[row] >= 0 && slots[row] >= 0) {
        expected[slots[row] * vocab + tokens[row]] |= IN_PROMPT;
      }
    }
    Span history = gpu.ints(new int[SLOTS * vocab]);
    Span status = gpu.status();
    bench.run(
        bench
            .kernels()
            .penalties()
            .mark(
                gpu.ints(tokens),
                gpu.ints(positions),
                gpu.ints(slots),
                history,
                status,
                rows,
                vocab,
                SLOTS));
    return Agreement.exact("history", gpu.ints(history), expected)
        .and(Agreement.exact("status", gpu.ints(status), new int[1]));
  }

  private static Agreement count(KernelCase.Bench bench, int rows) {
    DeviceArrays gpu = bench.arrays();
    Random random = bench.random();
    int vocab = 50;
    int[] sampled = random.ints(rows, -1, vocab).toArray();
    int[] rowIndex = random.ints(rows, -1, rows).toArray();
    int[] positions = random.ints(rows, -1, 3).toArray();
    int[] slots = random.ints(rows, -1, SLOTS).toArray();
    int[] expected = new int[SLOTS * vocab];
    for (int i = 0; i < rows; i++) {
      int row = rowIndex[i];
      if (row >= 0 && positions[row] >= 0 && slots[row] >= 0 && sampled[i] >= 0) {
        expected[slots[row] * vocab + sampled[i]]++;
      }
    }
    Span history = gpu.ints(new int[SLOTS * vocab]);
    Span status = gpu.status();
    bench.run(
        bench
            .kernels()
            .penalties()
            .count(
                gpu.ints(sampled),
                gpu.ints(rowIndex),
                gpu.ints(positions),
                gpu.ints(slots),
                history,
                status,
                rows,
                rows,
                vocab,
                SLOTS));
    return Agreement.exact("history", gpu.ints(history), expected)
        .and(Agreement.exact("status", gpu.ints(status), new int[1]));
  }
}
