package dev.reprise.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.kernels.check.Inputs;
import dev.reprise.kernels.contract.StatusBit;
import dev.reprise.kernels.reference.SamplingReference;
import dev.reprise.kernels.reference.SamplingReference.Candidate;
import dev.reprise.kernels.reference.SamplingReference.Choice;
import dev.reprise.kernels.reference.SamplingReference.Parameters;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(GpuExtension.class)
class SamplingTest {

  private static final Parameters PLAIN = new Parameters(1, 0, 1, 0);

  /** f32 probabilities differ from double ones by less than this. */
  private static final double NOISE = 1e-5;

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 33, 64, 257, 1024, 9001})
  void drawsWhatTheReferenceDraws(int vocab, Gpu gpu) {
    Random random = Gpu.random();
    List<Parameters> parameters =
        List.of(
            PLAIN,
            new Parameters(0.7f, 0, 1, 0),
            new Parameters(3, 5, 1, 0),
            new Parameters(1, 0, 0.9f, 0),
            new Parameters(1, 0, 0.1f, 0),
            new Parameters(0.8f, 40, 0.95f, 0.05f),
            new Parameters(1.5f, 0, 1, 0.2f),
            new Parameters(1, vocab, 1, 0),
            new Parameters(1, 1, 1, 0),
            new Parameters(1, 0, 0, 0),
            new Parameters(1, 7, 0.5f, 1),
            new Parameters(0, 3, 0.5f, 0.1f),
            new Parameters(-1, 0, 1, 0));
    int rows = parameters.size();
    float[] logits = new float[rows * vocab];
    long[] seeds = random.longs(rows).toArray();
    int[] positions = random.ints(rows, 0, 4000).toArray();
    for (int i = 0; i < logits.length; i++) {
      logits[i] = (float) random.nextGaussian() * 4;
    }
    int[] sampled = sample(gpu, logits, vocab, parameters, seeds, positions);
    int decided = 0;
    for (int row = 0; row < rows; row++) {
      Choice expected =
          SamplingReference.sample(
              row(logits, row, vocab), parameters.get(row), seeds[row], positions[row]);
      if (expected.margin() > NOISE) {
        assertThat(sampled[row])
            .as("row %d, %s", row, parameters.get(row))
            .isEqualTo(expected.token());
        decided++;
      }
    }
    assertThat(decided).as("rows whose draw is not within rounding").isGreaterThan(rows / 2);
  }

  @Test
  void theLargestVocabularyIsSampledExactly(Gpu gpu) {
    Random random = Gpu.random();
    int vocab = 1 << 18;
    float[] logits = new float[vocab];
    for (int i = 0; i < vocab; i++) {
      logits[i] = (float) random.nextGaussian() * 3;
    }
    Parameters parameters = new Parameters(1, 2000, 0.9f, 0.001f);
    Choice expected;
    long seed = 0;
    do {
      expected = SamplingReference.sample(logits, parameters, ++seed, 9);
    } while (expected.margin() < NOISE);
    int[] sampled =
        sample(gpu, logits, vocab, List.of(parameters), new long[] {seed}, new int[] {9});
    assertThat(sampled).containsExactly(expected.token());
  }

  @Test
  void frequenciesFollowTheProbabilities(Gpu gpu) {
    float[] logits = {1, 2, 0, -1, 3, 2.5f, -20, 2};
    int draws = 1500;
    Parameters parameters = new Parameters(1.3f, 6, 0.93f, 0.05f);
    int[] counts = new int[logits.length];
    float[] rows = new float[draws * logits.length];
    for (int row = 0; row < draws; row++) {
      System.arraycopy(logits, 0, rows, row * logits.length, logits.length);
    }
    long[] seeds = new long[draws];
    Arrays.fill(seeds, Gpu.SEED);
    int[] sampled =
        sample(
            gpu,
            rows,
            logits.length,
            IntStream.range(0, draws).mapToObj(i -> parameters).toList(),
            seeds,
            IntStream.range(0, draws).toArray());
    for (int token : sampled) {
      counts[token]++;
    }
    double[] probabilities = new double[logits.length];
    for (Candidate candidate : SamplingReference.filter(logits, parameters).candidates()) {
      probabilities[candidate.token()] = candidate.probability();
    }
    double chiSquare = 0;
    int kept = 0;
    for (int token = 0; token < logits.length; token++) {
      if (probabilities[token] == 0) {
        assertThat(counts[token]).as("token %d was filtered", token).isZero();
      } else {
        double mean = draws * probabilities[token];
        chiSquare += (counts[token] - mean) * (counts[token] - mean) / mean;
        kept++;
      }
    }
    assertThat(kept).isBetween(3, 6);
    assertThat(chiSquare).as("chi-square with %d degrees", kept - 1).isLessThan(21); // p < 0.001
  }

  @Test
  void tiesAreKeptByLowestIndex(Gpu gpu) {
    int vocab = 300;
    float[] flat = new float[vocab]; // all alike
    Parameters topK = new Parameters(1, 3, 1, 0);
    Parameters topP = new Parameters(1, 0, 0.02f, 0); // 6 of 300
    Parameters both = new Parameters(1, 10, 0.35f, 0); // 4 of 10
    assertThat(tokensOf(gpu, flat, topK, 64)).containsExactly(0, 1, 2);
    assertThat(tokensOf(gpu, flat, topP, 128)).containsExactly(0, 1, 2, 3, 4, 5);
    assertThat(tokensOf(gpu, flat, both, 96)).containsExactly(0, 1, 2, 3);
    float[] ties = new float[vocab];
    ties[200] = 1;
    for (int i = 100; i < 110; i++) {
      ties[i] = 0.9f;
    }
    assertThat(tokensOf(gpu, ties, topK, 96)).containsExactly(100, 101, 200);
  }

  @Test
  void nanNeverWinsAndInfinityDoes(Gpu gpu) {
    float nan = Float.NaN;
    float inf = Float.POSITIVE_INFINITY;
    float[] logits = {
      nan, 1, nan, 2, nan, //
      nan, nan, nan, nan, nan, //
      3, inf, nan, inf, 9, //
      -inf, -inf, nan, -5, -inf, //
      -inf, nan, -inf, nan, -inf
    };
    for (Parameters parameters : List.of(PLAIN, new Parameters(1, 4, 0.99f, 0.01f))) {
      Span status = gpu.status();
      for (int trial = 0; trial < 20; trial++) {
        long[] seeds = {trial, trial, trial, trial, trial};
        int[] sampled = sample(gpu, logits, 5, nCopies(5, parameters), seeds, new int[5], status);
        assertThat(sampled[0]).isIn(1, 3);
        assertThat(sampled[1]).isEqualTo(-1);
        assertThat(sampled[2]).isIn(1, 3);
        assertThat(sampled[3]).isEqualTo(3);
        assertThat(sampled[4]).isIn(0, 2, 4);
      }
      assertThat(gpu.status(status)).containsExactly(StatusBit.NOTHING_TO_SAMPLE);
    }
  }

  @Test
  void aDrawDependsOnSeedAndPositionAndNotOnTheOtherRows(Gpu gpu) {
    Random random = Gpu.random();
    int vocab = 128;
    float[] row = Inputs.uniform(random, vocab, 0, 1);
    int[] alone = sample(gpu, row, vocab, List.of(PLAIN), new long[] {7}, new int[] {11});
    float[] rows = new float[4 * vocab];
    Arrays.fill(rows, Float.NaN);
    System.arraycopy(row, 0, rows, 2 * vocab, vocab);
    int[] among =
        sample(
            gpu,
            rows,
            vocab,
            nCopies(4, PLAIN),
            new long[] {1, 2, 7, 3},
            new int[] {-1, 5, 11, -1});
    assertThat(among[2]).isEqualTo(alone[0]);
    assertThat(tokensOf(gpu, row, PLAIN, 64)).as("other positions").hasSizeGreaterThan(10);
    int[] otherSeeds = new int[64];
    for (int seed = 0; seed < 64; seed++) {
      otherSeeds[seed] =
          sample(gpu, row, vocab, List.of(PLAIN), new long[] {(long) seed << 32}, new int[] {11})[
              0];
    }
    assertThat(Arrays.stream(otherSeeds).distinct().count())
        .as("high bits of the seed")
        .isGreaterThan(10);
  }

  @Test
  void paddingGivesMinusOneAndTouchesNothing(Gpu gpu) {
    float[] logits = new float[3 * 8];
    Arrays.fill(logits, Float.NaN);
    Span sampled = gpu.intsOf(3);
    Span status = gpu.status();
    SamplingInputs inputs = inputs(gpu, nCopies(3, PLAIN), new long[3]);
    gpu.run(
        gpu.kernels()
            .sampling()
            .sample(
                gpu.floats(logits),
                inputs,
                gpu.ints(-1, 0, Integer.MIN_VALUE),
                gpu.ints(-1, 5),
                sampled,
                status,
                3,
                2,
                8));
    assertThat(gpu.ints(sampled)).containsExactly(-1, -1, -1);
    assertThat(gpu.status(status)).isEmpty();
  }

  private static int[] tokensOf(Gpu gpu, float[] logits, Parameters parameters, int draws) {
    float[] rows = new float[draws * logits.length];
    for (int row = 0; row < draws; row++) {
      System.arraycopy(logits, 0, rows, row * logits.length, logits.length);
    }
    int[] positions = IntStream.range(0, draws).toArray();
    int[] sampled =
        sample(gpu, rows, logits.length, nCopies(draws, parameters), new long[draws], positions);
    return Arrays.stream(sampled).distinct().sorted().toArray();
  }

  private static List<Parameters> nCopies(int count, Parameters parameters) {
    return IntStream.range(0, count).mapToObj(i -> parameters).toList();
  }

  private static float[] row(float[] logits, int row, int vocab) {
    return Arrays.copyOfRange(logits, row * vocab, (row + 1) * vocab);
  }

  private static SamplingInputs inputs(Gpu gpu, List<Parameters> parameters, long[] seeds) {
    int rows = parameters.size();
    float[] temperature = new float[rows];
    int[] topK = new int[rows];
    float[] topP = new float[rows];
    float[] minP = new float[rows];
    for (int i = 0; i < rows; i++) {
      temperature[i] = parameters.get(i).temperature();
      topK[i] = parameters.get(i).topK();
      topP[i] = parameters.get(i).topP();
      minP[i] = parameters.get(i).minP();
    }
    return new SamplingInputs(
        gpu.floats(temperature),
        gpu.ints(topK),
        gpu.floats(topP),
        gpu.floats(minP),
        gpu.longs(seeds));
  }

  private static int[] sample(
      Gpu gpu,
      float[] logits,
      int vocab,
      List<Parameters> parameters,
      long[] seeds,
      int[] positions) {
    return sample(gpu, logits, vocab, parameters, seeds, positions, gpu.status());
  }

  private static int[] sample(
      Gpu gpu,
      float[] logits,
      int vocab,
      List<Parameters> parameters,
      long[] seeds,
      int[] positions,
      Span status) {
    int rows = parameters.size();
    Span sampled = gpu.intsOf(rows);
    gpu.run(
        gpu.kernels()
            .sampling()
            .sample(
                gpu.floats(logits),
                inputs(gpu, parameters, seeds),
                gpu.ints(IntStream.range(0, rows).toArray()),
                gpu.ints(positions),
                sampled,
                status,
                rows,
                rows,
                vocab));
    return gpu.ints(sampled);
  }
}
