package dev.reprise.graph.toy;

import dev.reprise.graph.decode.Step;
import dev.reprise.graph.decode.StepBuffers;
import dev.reprise.graph.decode.StepShape;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Holds the thread that launches, at one of the launches that are not replays. */
public final class Gate implements WrappedModel.Around {

  private static final long MINUTES = 2;

  private final int at;
  private final AtomicInteger launches = new AtomicInteger();
  private final CountDownLatch reached = new CountDownLatch(1);
  private final CountDownLatch open = new CountDownLatch(1);

  /**
   * @param at the launch that is held, from 1 on
   */
  public Gate(int at) {
    this.at = at;
  }

  @Override
  public Step step(Step step, StepBuffers buffers, StepShape shape) {
    return stream -> {
      if (launches.incrementAndGet() == at) {
        reached.countDown();
        await(open);
      }
      step.enqueue(stream);
    };
  }

  /** Waits until the launch is held. */
  public void awaitReached() {
    await(reached);
  }

  /** Lets it go on. */
  public void open() {
    open.countDown();
  }

  private static void await(CountDownLatch latch) {
    try {
      if (!latch.await(MINUTES, TimeUnit.MINUTES)) {
        throw new IllegalStateException("The gate was not passed in time");
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
