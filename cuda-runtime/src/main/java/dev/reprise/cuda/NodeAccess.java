package dev.reprise.cuda;

import dev.reprise.cuda.access.AccessHistory;
import dev.reprise.cuda.access.DeclaredUse;
import java.util.List;

/**
 * What a node of a graph does when it runs, for the check of accesses; empty while that is off.
 *
 * @param uses what it reads and writes
 * @param signals the numbers that it writes and streams wait for
 * @param awaits whether it waits for a number
 * @param records the events that it records
 * @param waits the events that it waits for
 */
record NodeAccess(
    List<DeclaredUse> uses,
    List<Signal> signals,
    boolean awaits,
    List<EventHandle> records,
    List<EventHandle> waits) {

  /**
   * A number that is written.
   *
   * @param memory the region
   * @param offset where, in bytes
   * @param value the number
   */
  record Signal(AccessHistory memory, long offset, long value) {}
}
