package dev.reprise.softgpu.driver.operation;

import dev.reprise.softgpu.driver.queue.Marker;
import dev.reprise.softgpu.driver.queue.Work;

/** An operation of a graph that is tied to something new at each launch, as event nodes are. */
public interface LaunchBound extends Operation {

  /** Ties it to the state of the moment, for one launch. */
  Binding bind();

  /** What one launch runs in place of the operation. */
  interface Binding extends Work {

    /** Called when the launch is enqueued, with the position behind it. */
    void submitted(Marker end);
  }

  @Override
  default void run() {
    throw new IllegalStateException("a launch runs what the operation was bound to");
  }
}
