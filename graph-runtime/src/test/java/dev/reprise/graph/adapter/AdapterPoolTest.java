package dev.reprise.graph.adapter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cuda.DeviceBuffer;
import dev.reprise.cuda.Stream;
import dev.reprise.graph.toy.Toy;
import dev.reprise.graph.toy.ToyModel;
import dev.reprise.kernels.Span;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What an adapter adds depends on it alone, whatever the memory of its slot held before. */
class AdapterPoolTest {

  @RegisterExtension static final Toy TOY = new Toy();

  private static final int WIDTH = 32;

  @Test
  void aProductThatAnAdapterLeavesOutStaysAsItIsWhateverTheMemoryHeld() {
    assertThat(afterExpand("out", "qkv")).containsOnly(3f);
    assertThat(afterExpand("out", "out")).doesNotContain(Float.NaN).isNotEqualTo(threes(WIDTH));
  }

  private static float[] threes(int count) {
    float[] values = new float[count];
    java.util.Arrays.fill(values, 3f);
    return values;
  }

  /** What an adapter of one product makes of another one, in memory that is full of NaN. */
  private static float[] afterExpand(String adapted, String product) {
    int out = product.equals("qkv") ? 3 * WIDTH : WIDTH;
    try (Stream stream = TOY.device().createStream("adapters");
        AdapterPool pool =
            new AdapterPool(
                TOY.device(), TOY.model().adapterProjections(), new AdapterOptions(1, 4), 1);
        DeviceBuffer x = TOY.device().allocate("x", WIDTH * Float.BYTES);
        DeviceBuffer y = TOY.device().allocate("y", (long) out * Float.BYTES);
        DeviceBuffer zeros = TOY.device().allocate("zeros", 2L * 256)) {
      Span memory = pool.memory();
      stream.fill32(
          memory.buffer(), 0, memory.bytes() / Float.BYTES, Float.floatToRawIntBits(Float.NaN));
      stream.fill32(zeros, 0, 2 * 256 / Integer.BYTES, 0);
      pool.load(stream, "a", ToyModel.adapter(1, 2, adapted));
      stream.write(threes(WIDTH), x, 0);
      stream.write(threes(out), y, 0);
      Span rowOfZero = new Span(zeros, 0, Integer.BYTES);
      Span status = new Span(zeros, 256, Integer.BYTES);
      pool.launches(
              TOY.model().kernels(),
              product,
              Span.of(x),
              rowOfZero,
              rowOfZero,
              Span.of(y),
              status,
              1)
          .forEach(stream::launch);
      float[] result = new float[out];
      stream.read(y, 0, result);
      return result;
    }
  }
}
