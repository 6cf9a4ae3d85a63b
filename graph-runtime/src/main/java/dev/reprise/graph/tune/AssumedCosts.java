package dev.reprise.graph.tune;

import dev.reprise.graph.bucket.Bucket;
import dev.reprise.graph.model.DeviceModel;
import dev.reprise.graph.model.LaunchCost;
import dev.reprise.graph.model.ModelShape;
import dev.reprise.graph.model.Roofline;

/**
 * Costs that are computed from published peaks and not measured: the roofline times of the products
 * and of attention, one after the other, and launches at an assumed cost. Attention reads each
 * row's own positions, so that a bucket's context costs nothing. For a first look where the device
 * is not at hand; a set for production is tuned with a {@link CostTable}.
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

  private Roofline roofline() {
    return new Roofline(device.bytesPerSecond(), device.flops(model.weightBytes()));
  }

  private double productMicros(int rows) {
    return roofline().micros(model.productBytes(rows), model.productFlops(rows));
  }

  @Override
  public double replayMicros(Bucket bucket) {
    return launches.replayMicros(model.kernels(), productMicros(bucket.rows()));
  }

  /** All rows are taken to have as many positions as the longest. */
  @Override
  public double liveMicros(int rows, int positions) {
    return roofline()
        .micros(model.attentionBytes(rows, positions), model.attentionFlops(rows, positions));
  }

  @Override
  public double eagerMicros(int rows, int positions) {
    return launches.eagerMicros(model.kernels(), productMicros(rows) + liveMicros(rows, positions));
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
