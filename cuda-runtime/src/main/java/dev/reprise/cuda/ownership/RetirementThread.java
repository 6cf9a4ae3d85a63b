package dev.reprise.cuda.ownership;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The library thread of one retirement queue: started when something first has to wait for the GPU,
 * ended when the context goes.
 */
final class RetirementThread {

  private static final Logger LOG = LoggerFactory.getLogger(RetirementThread.class);

  private static final long LATER_MILLIS = 200;

  private final Retirement retirement;
  private final Semaphore signals = new Semaphore(0);
  private final AtomicBoolean started = new AtomicBoolean();
  private volatile boolean stopped;

  RetirementThread(Retirement retirement) {
    this.retirement = retirement;
  }

  void signal() {
    if (stopped) {
      return;
    }
    if (started.compareAndSet(false, true)) {
      Thread.ofPlatform().daemon().name("reprise-retirement-" + retirement.name()).start(this::run);
    }
    signals.release();
  }

  void stop() {
    stopped = true;
    signals.release();
  }

  private void run() {
    Retirement.Next next = Retirement.Next.REST;
    while (!stopped) {
      await(next);
      try {
        do {
          next = retirement.round();
        } while (next == Retirement.Next.ANOTHER_ROUND && !stopped);
      } catch (RuntimeException e) {
        // Without this the thread would end and nothing would be released any more.
        LOG.error("Releasing objects of {} failed; going on.", retirement.name(), e);
        next = Retirement.Next.TRY_LATER;
      }
    }
  }

  /** Waits for a signal, and no longer than a while if the driver is to be asked again. */
  private void await(Retirement.Next next) {
    if (next == Retirement.Next.TRY_LATER) {
      try {
        boolean signalled = signals.tryAcquire(LATER_MILLIS, TimeUnit.MILLISECONDS);
        if (!signalled) {
          return;
        }
      } catch (InterruptedException e) {
        // Nobody ends this thread by an interrupt; it only shortens the pause.
        return;
      }
    } else {
      signals.acquireUninterruptibly();
    }
    signals.drainPermits();
  }
}
