package dev.reprise.softgpu.driver.context;

import dev.reprise.softgpu.driver.operation.LaunchBound;
import dev.reprise.softgpu.driver.operation.NodeType;
import dev.reprise.softgpu.driver.queue.Marker;
import dev.reprise.softgpu.driver.support.CudaFailure;

/** A node that waits, at each launch of its graph, for what the event last recorded before it. */
public record EventWait(Event event) implements LaunchBound {

  @Override
  public NodeType type() {
    return NodeType.WAIT_EVENT;
  }

  @Override
  public String describe() {
    return "wait for " + event;
  }

  @Override
  public Binding bind() {
    Marker marker =
        switch (event.recording()) {
          case Event.Never never -> Marker.PASSED;
          case Event.Position position -> position.marker();
          case Event.InCapture captured ->
              throw CudaFailure.invalidValue(event + " was last recorded in a capture");
        };
    return new Binding() {
      @Override
      public void submitted(Marker end) {}

      @Override
      public boolean ready() {
        return marker.complete();
      }

      @Override
      public void run() {
        marker.await();
      }
    };
  }
}
