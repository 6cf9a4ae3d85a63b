package dev.reprise.benchmarks.host;

import dev.reprise.benchmarks.calls.CalledDriver;
import dev.reprise.cuda.Device;
import dev.reprise.graph.bucket.BucketSet;
import dev.reprise.graph.decode.CaptureMoment;
import dev.reprise.graph.decode.DecodeOptions;
import dev.reprise.graph.decode.EngineOptions;
import dev.reprise.graph.decode.StepMetrics;
import java.util.List;

/** Device, model and options of the benchmarks of steps, on the driver that does nothing. */
final class EmptyServing implements AutoCloseable {

  private static final int PREFILL_ROWS = 8;

  private final CalledDriver driver;
  private final Device device;
  private final EmptyModel model;
  private final EngineOptions options;

  /**
   * @param rows sequences at a time
   * @param blockSize positions of a KV block
   * @param context positions of a sequence
   * @param inFlight steps in flight
   */
  EmptyServing(int rows, int blockSize, int context, int inFlight) {
    driver = CalledDriver.load();
    device = Device.open(0);
    model = new EmptyModel(device, blockSize, context);
    int blocks = rows * (context / blockSize + 1) + 1;
    options =
        EngineOptions.serving(
                new DecodeOptions(
                    BucketSet.of(List.of(rows), List.of(context)), PREFILL_ROWS, blocks, false))
            .withInFlight(inFlight)
            .withPrefixReuse(false)
            .withCapture(CaptureMoment.AT_FIRST_USE);
  }

  Device device() {
    return device;
  }

  EmptyModel model() {
    return model;
  }

  EngineOptions options() {
    return options;
  }

  /** Fails unless this driver was the one, and launched as many graphs as there were replays. */
  void check(StepMetrics steps) {
    driver.checkAlone();
    driver.checkGraphLaunches(steps.replays() + steps.prefillReplays());
  }

  @Override
  public void close() {
    model.close();
    device.close();
  }
}
