package dev.reprise.kernels;

import dev.reprise.cuda.Device;
import dev.reprise.cuda.Graph;
import dev.reprise.cuda.GraphExec;
import dev.reprise.cuda.PreparedLaunch;
import dev.reprise.kernels.check.DeviceArrays;
import java.util.Random;

/** The device of the tests, with the kernels on it. */
final class Gpu extends DeviceArrays {

  /** Every test draws from this seed; set the property to try others. */
  static final long SEED = Long.getLong("reprise.test.seed", 20260101L);

  private final Kernels kernels;

  Gpu() {
    super(Device.open(0));
    kernels = Kernels.load(device());
  }

  Kernels kernels() {
    return kernels;
  }

  static Random random() {
    return new Random(SEED);
  }

  /** Captures the launches into one graph and replays it. */
  void replay(int times, PreparedLaunch... launches) {
    try (Graph graph =
            stream()
                .capture(capture -> {
                  for (PreparedLaunch launch : launches) {
                    stream().launch(launch);
                  }
                });
        GraphExec exec = graph.instantiate()) {
      for (int i = 0; i < times; i++) {
        exec.replay(stream());
      }
      stream().synchronize();
    }
  }

  @Override
  public void close() {
    kernels.close();
    super.close();
    device().close();
  }
}
