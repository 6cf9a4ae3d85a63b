package dev.reprise.cuda.ownership;

import java.lang.foreign.MemorySegment;

/** The driver calls about events that mark how far a stream has come. */
public interface FenceDriver {

  /** Records an event on the stream now; throws if the driver refuses. */
  MemorySegment record(MemorySegment stream);

  /**
   * Whether everything before the event is done. A context that is lost counts as done, since
   * nothing in it will run again.
   */
  boolean passed(MemorySegment event);

  /** Returns once {@link #passed} would be true. */
  void await(MemorySegment event);

  /** Takes back an event that has passed. */
  void recycle(MemorySegment event);
}
