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

  /** True when waiting for it would neither take time nor order anything. */
  default boolean settled() {
    return complete();
  }

  /** As {@link #await}, called by the program, which then knows that the position has passed. */
  default void awaitOnHost() {
    await();
  }

  /** As {@link #await}, by somebody for whom nobody need hurry. */
  default void awaitIdly() {
    await();
  }

  /** Blocks until the position has passed. An interrupt does not end the wait and is kept. */
  void await();
}
