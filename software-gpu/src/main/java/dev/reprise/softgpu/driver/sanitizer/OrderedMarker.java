package dev.reprise.softgpu.driver.sanitizer;

import dev.reprise.softgpu.driver.queue.CurrentWork;
import dev.reprise.softgpu.driver.queue.Marker;
import dev.reprise.softgpu.driver.queue.WorkObserver;
import java.util.function.Supplier;

/** A position and the clock there. It orders even when it has passed. */
record OrderedMarker(Marker inner, Supplier<long[]> clock, Tracing tracing) implements Marker {

  @Override
  public boolean complete() {
    return inner.complete();
  }

  @Override
  public boolean settled() {
    return false;
  }

  @Override
  public void await() {
    inner.await();
    WorkObserver observer = CurrentWork.observer();
    if (observer != null) {
      observer.waited(this);
    }
  }

  @Override
  public void awaitIdly() {
    inner.awaitIdly();
  }

  @Override
  public void awaitOnHost() {
    inner.await();
    tracing.hostSaw(clock.get());
  }
}
