package dev.reprise.graph.workspace;

import dev.reprise.cuda.Device;
import dev.reprise.cuda.DeviceBuffer;
import dev.reprise.kernels.Span;
import java.util.List;

/** The memory of a {@link WorkspacePlan}: allocated once, at fixed addresses until it is closed. */
public final class Workspace implements AutoCloseable {

  private final WorkspacePlan plan;
  private final DeviceBuffer buffer;

  private Workspace(WorkspacePlan plan, DeviceBuffer buffer) {
    this.plan = plan;
    this.buffer = buffer;
  }

  /** Allocates what was planned. Not allowed during a capture. */
  public static Workspace allocate(Device device, WorkspacePlan plan) {
    return new Workspace(plan, device.allocate("workspace", plan.bytes()));
  }

  /**
   * The place of a planned value.
   *
   * @throws IllegalArgumentException if it was not planned
   */
  public Span span(String name) {
    WorkspacePlan.Place place = plan.place(name);
    return new Span(buffer, place.offset(), place.bytes());
  }

  /** The names of what was planned, in order. */
  public List<String> names() {
    return plan.names();
  }

  /** Bytes of the whole workspace. */
  public long bytes() {
    return buffer.size();
  }

  @Override
  public void close() {
    buffer.close();
  }
}
