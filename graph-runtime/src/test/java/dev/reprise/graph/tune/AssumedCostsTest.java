package dev.reprise.graph.tune;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.reprise.graph.bucket.Bucket;
import dev.reprise.graph.model.DeviceModel;
import dev.reprise.graph.model.LaunchCost;
import dev.reprise.graph.model.ModelShape;
import org.junit.jupiter.api.Test;

class AssumedCostsTest {

  private final AssumedCosts costs =
      new AssumedCosts(
          DeviceModel.named("h200"),
          ModelShape.named("llama-3.1-8b"),
          new LaunchCost(3, 1, 10, 0.5));

  @Test
  void aReplayIsItsLaunchAndTheBytesOfTheWeights() {
    // (7,504,924,672 weights + a row of 4,096) · 2 bytes and 131,072 bytes of new KV over 4.8 TB/s.
    double weights = (7_504_924_672.0 + 4096) * 2 + 131_072;
    assertThat(costs.replayMicros(new Bucket(1, 512)))
        .isCloseTo(10 + 293 * 0.5 + weights / 4.8e12 * 1e6, within(1e-6));
    assertThat(costs.replayMicros(new Bucket(1, 8192)))
        .as("a longer bucket by itself")
        .isEqualTo(costs.replayMicros(new Bucket(1, 512)));
  }

  @Test
  void liveRowsCostTheKeysAndValuesTheyRead() {
    assertThat(costs.liveMicros(4, 1000)).isCloseTo(4000 * 131_072 / 4.8e12 * 1e6, within(1e-6));
    double replay = costs.replayMicros(new Bucket(4, 1000)) + costs.liveMicros(4, 1000);
    assertThat(costs.eagerMicros(4, 1000)).isCloseTo(replay - 10 + 3 + 293 * 0.5, within(1e-6));
  }

  @Test
  void manyRowsAreBoundByComputing() {
    double flops = 2.0 * 1024 * 7_504_924_672.0;
    assertThat(costs.replayMicros(new Bucket(1024, 16)))
        .isCloseTo(10 + 293 * 0.5 + flops / 989e12 * 1e6, within(1e-6));
  }
}
