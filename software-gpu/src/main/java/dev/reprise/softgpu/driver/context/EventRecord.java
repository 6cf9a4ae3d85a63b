package dev.reprise.softgpu.driver.context;

import dev.reprise.softgpu.driver.operation.LaunchBound;
import dev.reprise.softgpu.driver.operation.NodeType;
import dev.reprise.softgpu.driver.queue.Marker;

/**
 * A node that records an event at each launch of its graph. The event is complete when the whole
 * launch is: later than it could be, which no waiter can tell from a slow graph.
 */
public record EventRecord(Event event) implements LaunchBound {

  @Override
  public NodeType type() {
    return NodeType.EVENT_RECORD;
  }

  @Override
  public String describe() {
    return "record of " + event;
  }

  @Override
  public Binding bind() {
    Event.Stamp stamp = new Event.Stamp();
    return new Binding() {
      @Override
      public void submitted(Marker end) {
        event.recordedAt(new Event.Position(end, stamp));
      }

      @Override
      public void run() {
        stamp.run();
      }
    };
  }
}
