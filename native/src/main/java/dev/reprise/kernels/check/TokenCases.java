package dev.reprise.kernels.check;

import dev.reprise.kernels.SamplingInputs;
import dev.reprise.kernels.Span;
import dev.reprise.kernels.reference.SamplingReference;
import dev.reprise.kernels.reference.SamplingReference.Choice;
import dev.reprise.kernels.reference.SamplingReference.Parameters;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Kernels that choose tokens and feed them back. */
final class TokenCases {

  /** f32 probabilities differ from double ones by less than this. */
  private static final double NOISE = 1e-5;

  private static final List<Parameters> PARAMETERS =
      List.of(
          new Parameters(1, 0, 1, 0),
          new Parameters(0.7f, 0, 1, 0),
          new Parameters(3, 5, 1, 0),
          new Parameters(1, 0, 0.9f, 0),
          new Parameters(0.8f, 40, 0.95f, 0.05f),
          new Parameters(1.5f, 0, 1, 0.2f),
          new Parameters(0, 3, 0.5f, 0.1f));

  private TokenCases() {}

  static List<KernelCase> all(boolean quick) {
    int[] vocabularies =
        quick ? new int[] {1, 257, 1024} : new int[] {1, 33, 257, 1024, 9001, 32_000, 128_256};
    List<KernelCase> cases = new ArrayList<>();
    for (int vocab : vocabularies) {
      cases.add(
          new KernelCase(
              "argmax_rows",
              "4 rows, %d tokens, many ties".formatted(vocab),
              bench -> argmax(bench, vocab)));
    }
    for (int vocab : vocabularies) {
      cases.add(
          new KernelCase(
              "sample_rows",
              "%d rows, %d tokens".formatted(PARAMETERS.size(), vocab),
              bench -> sample(bench, vocab)));
    }
    for (int rows : quick ? new int[] {3} : new int[] {3, 700}) {
      cases.add(
          new KernelCase("step_advance", "%d rows".formatted(rows), bench -> advance(bench, rows)));
    }
    return cases;
  }

  private static Agreement argmax(KernelCase.Bench bench, int vocab) {
    DeviceArrays gpu = bench.arrays();
    int rows = 4;
    float[] logits = new float[rows * vocab];
    for (int i = 0; i < logits.length; i++) {
      logits[i] = bench.random().nextInt(20) - 10;
    }
    int[] expected = new int[rows];
    Arrays.setAll(expected, row -> SamplingReference.argmax(row(logits, row, vocab)));
    Span sampled = gpu.intsOf(rows);
    Span status = gpu.status();
    bench.run(
        bench
            .kernels()
            .sampling()
            .argmax(
                gpu.floats(logits),
                gpu.ints(0, 1, 2, 3),
                gpu.ints(new int[rows]),
                sampled,
                status,
                rows,
                rows,
                vocab));
    return Agreement.exact("sampled", gpu.ints(sampled), expected)
        .and(Agreement.exact("status", gpu.ints(status), new int[1]));
  }

  /** A row whose draw is within rounding of another token is drawn for another seed. */
  private static Agreement sample(KernelCase.Bench bench, int vocab) {
    DeviceArrays gpu = bench.arrays();
    Random random = bench.random();
    int rows = PARAMETERS.size();
    float[] logits = new float[rows * vocab];
    for (int i = 0; i < logits.length; i++) {
      logits[i] = (float) random.nextGaussian() * 4;
    }
    int[] positions = random.ints(rows, 0, 4000).toArray();
    long[] seeds = new long[rows];
    int[] expected = new int[rows];
    int[] topK = new int[rows];
    float[] temperature = new float[rows];
    float[] topP = new float[rows];
    float[] minP = new float[rows];
    for (int row = 0; row < rows; row++) {
      Parameters p = PARAMETERS.get(row);
      temperature[row] = p.temperature();
      topK[row] = p.topK();
      topP[row] = p.topP();
      minP[row] = p.minP();
      Choice choice;
      int tries = 0;
      do {
        seeds[row] = random.nextLong();
        choice = SamplingReference.sample(row(logits, row, vocab), p, seeds[row], positions[row]);
      } while (choice.margin() < NOISE && ++tries < 20);
      // A filter may cut within rounding whatever the seed is: then greedy.
      if (choice.margin() < NOISE) {
        temperature[row] = 0;
        choice = new Choice(SamplingReference.argmax(row(logits, row, vocab)), 1);
      }
      expected[row] = choice.token();
    }
    int[] index = new int[rows];
    Arrays.setAll(index, i -> i);
    Span sampled = gpu.intsOf(rows);
    Span status = gpu.status();
    bench.run(
        bench
            .kernels()
            .sampling()
            .sample(
                gpu.floats(logits),
                new SamplingInputs(
                    gpu.floats(temperature),
                    gpu.ints(topK),
                    gpu.floats(topP),
                    gpu.floats(minP),
                    gpu.longs(seeds)),
                gpu.ints(index),
                gpu.ints(positions),
                sampled,
                status,
                rows,
                rows,
                vocab));
    return Agreement.exact("sampled", gpu.ints(sampled), expected)
        .and(Agreement.exact("status", gpu.ints(status), new int[1]));
  }

  /** Rows in reverse order, one token each. */
  private static Agreement advance(KernelCase.Bench bench, int rows) {
    DeviceArrays gpu = bench.arrays();
    int[] index = new int[rows];
    Arrays.setAll(index, i -> rows - 1 - i);
    int[] sampled = bench.random().ints(rows, 0, 1000).toArray();
    int[] positions = bench.random().ints(rows, 0, 1000).toArray();
    Span tokensOnDevice = gpu.ints(new int[rows]);
    Span positionsOnDevice = gpu.ints(positions);
    Span generated = gpu.intsOf(2 * rows);
    Span step = gpu.ints(3);
    Span status = gpu.status();
    int[] ring = gpu.ints(generated);
    bench.run(
        bench
            .kernels()
            .stepAdvance()
            .advance(
                gpu.ints(sampled),
                gpu.ints(index),
                tokensOnDevice,
                positionsOnDevice,
                generated,
                step,
                status,
                rows,
                rows,
                2));
    int[] tokens = new int[rows];
    for (int i = 0; i < rows; i++) {
      tokens[index[i]] = sampled[i];
      positions[i]++;
    }
    System.arraycopy(sampled, 0, ring, rows, rows);
    return Agreement.exact("tokens", gpu.ints(tokensOnDevice), tokens)
        .and(Agreement.exact("positions", gpu.ints(positionsOnDevice), positions))
        .and(Agreement.exact("generated", gpu.ints(generated), ring))
        .and(Agreement.exact("step", gpu.ints(step), new int[] {4}))
        .and(Agreement.exact("status", gpu.ints(status), new int[1]));
  }

  private static float[] row(float[] logits, int row, int vocab) {
    return Arrays.copyOfRange(logits, row * vocab, (row + 1) * vocab);
  }
}
