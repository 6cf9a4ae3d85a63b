package dev.reprise.softgpu.driver.graph;

import dev.reprise.softgpu.driver.queue.Marker;
import org.jspecify.annotations.Nullable;

/**
 * Which executable graph has a graph for itself. Of a graph with conditional nodes one may exist at
 * a time, since its kernels name one condition each. Thread-safe.
 */
final class Tenancy {

  private @Nullable GraphExec tenant;
  private Marker vacated = Marker.PASSED;

  /**
   * Moves in.
   *
   * @return false when another executable graph has it
   */
  synchronized boolean enter(GraphExec exec) {
    if (!freeFor(exec)) {
      return false;
    }
    tenant = exec;
    return true;
  }

  /** True when nobody else has it. */
  synchronized boolean freeFor(GraphExec exec) {
    return tenant == null || tenant == exec;
  }

  /** The end of the last launch of whoever left. */
  synchronized Marker vacated() {
    return vacated;
  }

  /** Moves out; the launch that ends there may still be running. */
  synchronized void leave(GraphExec exec, Marker lastLaunch) {
    if (tenant == exec) {
      tenant = null;
      vacated = lastLaunch;
    }
  }
}
