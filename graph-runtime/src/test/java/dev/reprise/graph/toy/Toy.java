package dev.reprise.graph.toy;

import dev.reprise.cuda.Device;
import dev.reprise.graph.bucket.BucketSet;
import dev.reprise.graph.decode.DecodeLoop;
import dev.reprise.graph.decode.DecodeOptions;
import dev.reprise.graph.decode.EngineOptions;
import dev.reprise.graph.decode.SamplingParameters;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** The toy model on the device of the tests, for one test class. */
@SuppressWarnings("NullAway.Init")
public final class Toy implements BeforeAllCallback, AfterAllCallback {

  private Device device;
  private ToyModel model;

  @Override
  public void beforeAll(ExtensionContext context) {
    device = Device.open(0);
    model = new ToyModel(device);
  }

  @Override
  public void afterAll(ExtensionContext context) {
    model.close();
    device.close();
  }

  public Device device() {
    return device;
  }

  public ToyModel model() {
    return model;
  }

  /** Buckets of 1, 2 and 4 rows, in two contexts, with room for everything. */
  public static DecodeOptions options() {
    return new DecodeOptions(
        BucketSet.of(List.of(1, 2, 4), List.of(32, ToyModel.CONTEXT)), 8, 40, false);
  }

  /** What a server uses, with few blocks if asked for. */
  public static EngineOptions serving(int kvBlocks) {
    DecodeOptions o = options();
    return EngineOptions.serving(
        new DecodeOptions(o.buckets(), o.prefillRows(), kvBlocks, o.eager()));
  }

  public static int[] prompt(Random random, int length) {
    return random.ints(length, 0, ToyModel.VOCABULARY).toArray();
  }

  public static SamplingParameters sampling(long seed) {
    return new SamplingParameters(1.5f, 40, 0.98f, 0, seed);
  }

  /** The tokens of a request that has the device to itself, step by step, by plain launches. */
  public int[] alone(int[] prompt, SamplingParameters sampling, int count, Set<Integer> stop) {
    try (DecodeLoop loop = DecodeLoop.create(device, model, options().withEager(true))) {
      return loop.generate(prompt, sampling, count, stop, token -> true).tokens();
    }
  }
}
