package dev.reprise.softgpu.driver.queue;

/**
 * One run of work that is done in pieces, in any order that the work allows: how a simulation puts
 * other work between them. Used by one thread at a time.
 */
public interface Steps {

  /** How many pieces could go now; 0 when all are done or all that are left wait for others. */
  int ready();

  /**
   * One of the pieces that could go now.
   *
   * @param which from 0 to {@link #ready} exclusive; holds until a piece runs
   */
  Work piece(int which);

  /** Runs one of the pieces that could go now. */
  void run(int which);

  /** True when all pieces have run. */
  boolean done();

  /** Called once when no more pieces will run, be it for a fault. */
  default void end() {}
}
