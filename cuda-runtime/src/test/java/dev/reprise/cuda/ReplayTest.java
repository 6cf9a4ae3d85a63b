package dev.reprise.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class ReplayTest extends GpuTest {

  private static final int N = 1000;

  private float[] floats(DeviceBuffer buffer) {
    float[] values = new float[N];
    stream.read(buffer, 0, MemorySegment.ofArray(values));
    return values;
  }

  @Test
  void givesWhatTheSameWorkGivesEagerly() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    float[] start = new float[N];
    for (int i = 0; i < N; i++) {
      start[i] = random.nextFloat() - 0.5f;
    }
    try (DeviceBuffer x = device.allocate("x", N * 4L);
        DeviceBuffer y = device.allocate("y", N * 4L)) {
      List<PreparedLaunch> steps = new ArrayList<>();
      for (int i = 0; i < 12; i++) {
        boolean forth = random.nextBoolean();
        steps.add(
            module
                .kernel(random.nextBoolean() ? "scale" : "axpy")
                .prepare(
                    LaunchConfig.covering(N, 1 + random.nextInt(256)),
                    KernelArg.readWrite(forth ? y : x),
                    KernelArg.read(forth ? x : y),
                    KernelArg.f32(random.nextFloat()),
                    KernelArg.i32(N - random.nextInt(100))));
      }

      stream.write(MemorySegment.ofArray(start), x, 0);
      stream.write(MemorySegment.ofArray(start), y, 0);
      for (int round = 0; round < 3; round++) {
        steps.forEach(step -> step.launch(stream));
      }
      float[] eagerX = floats(x);
      float[] eagerY = floats(y);

      stream.write(MemorySegment.ofArray(start), x, 0);
      stream.write(MemorySegment.ofArray(start), y, 0);
      try (Graph graph = stream.capture(capture -> steps.forEach(step -> step.launch(stream)));
          GraphExec exec = graph.instantiate()) {
        for (int round = 0; round < 3; round++) {
          exec.replay(stream);
        }
        assertThat(floats(x)).as("seed " + seed).isEqualTo(eagerX);
        assertThat(floats(y)).as("seed " + seed).isEqualTo(eagerY);
      }
      assertThat(eagerX).isNotEqualTo(start);
    }
  }

  @Test
  @SuppressWarnings("try") // closing one early is the point
  void execsOfOneGraphAreIndependent() {
    DeviceBuffer counter = ints("counter", 0);
    try (Stream side = device.createStream("side");
        Graph graph = stream.capture(capture -> increment(counter).launch(stream));
        GraphExec first = graph.instantiate();
        GraphExec second = graph.instantiate()) {
      first.replay(stream);
      stream.synchronize();
      second.replay(side);
      side.synchronize();
      second.close();
      first.replay(stream);
      assertThat(read(counter)).containsExactly(3);
    }
    counter.close();
  }
}
