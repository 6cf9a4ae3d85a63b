package dev.reprise.cuda.ownership;

import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The library thread of one retirement queue: started when something first has to wait for the GPU,
 * ended when the context goes.
 */
final class RetirementThread {

  private static final Logger LOG = LoggerFactory.getLogger(RetirementThread.class);

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
    while (!stopped) {
      signals.acquireUninterruptibly();
      signals.drainPermits();
      try {
        boolean more = true;
        while (more && !stopped) {
          more = retirement.round();
        }
      } catch (RuntimeException e) {
        // Without this the thread would end and nothing would be released any more.
        LOG.error("Releasing objects of {} failed; going on.", retirement.name(), e);
      }
    }
  }
}
