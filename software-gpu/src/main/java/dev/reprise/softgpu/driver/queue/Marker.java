package dev.reprise.softgpu.driver.queue;

/** A position in a queue: complete when all that was submitted up to it has been done. */
public interface Marker {

  /** A position that has passed. */
  Marker PASSED =
      new Marker() {
        @Override
        public boolean complete() {
          return true;
        }

        @Override
        public void await() {}
      };

  /** True when the position has passed. Never blocks. */
  boolean complete();

  /** Blocks until the position has passed. An interrupt does not end the wait and is kept. */
  void await();
}
