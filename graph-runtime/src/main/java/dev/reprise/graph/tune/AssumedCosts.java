package dev.reprise.graph.tune;

import dev.reprise.graph.bucket.Bucket;
import dev.reprise.graph.model.DeviceModel;
import dev.reprise.graph.model.LaunchCost;
import dev.reprise.graph.model.ModelShape;
import dev.reprise.graph.model.Roofline;

/**
 * Costs that are computed from published peaks and not measured: the roofline time of a step, and
 * launches at an assumed cost. For a first look where the device is not at hand; a set for
 * production is tuned with a {@link CostTable}.
 *
 * @param device the device
 * @param model the model
 * @param launches cost of launches
 */
public record AssumedCosts(DeviceModel device, ModelShape model, LaunchCost launches)
    implements StepCosts {

  private static final double CAPTURE_MILLIS = 1;
  private static final double CAPTURE_MILLIS_PER_KERNEL = 0.02;
  private static final long BYTES = 64 << 10;
  private static final long BYTES_PER_KERNEL = 4 << 10;

  private double deviceMicros(int rows, int context) {
    return new Roofline(device.bytesPerSecond(), device.flops(model.weightBytes()))
        .micros(model.stepBytes(rows, context), model.stepFlops(rows, context));
  }

  @Override
  public double replayMicros(Bucket bucket) {
    return launches.replayMicros(model.kernels(), deviceMicros(bucket.rows(), bucket.context()));
  }

  @Override
  public double eagerMicros(int rows, int positions) {
    return launches.eagerMicros(model.kernels(), deviceMicros(rows, positions));
  }

  @Override
  public double captureMillis(Bucket bucket) {
    return CAPTURE_MILLIS + CAPTURE_MILLIS_PER_KERNEL * model.kernels();
  }

  @Override
  public long bytes(Bucket bucket) {
    return BYTES + BYTES_PER_KERNEL * model.kernels();
  }
}
