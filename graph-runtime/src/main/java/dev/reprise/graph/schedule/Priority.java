package dev.reprise.graph.schedule;

/**
 * How urgent a request is. A higher one is admitted before all lower ones, and takes blocks and
 * rows from them when there are too few; a steady load of high ones therefore starves low ones, up
 * to their deadlines.
 */
public enum Priority {
  /** Runs in what others leave. */
  LOW,
  /** The usual one. */
  NORMAL,
  /** Runs first. */
  HIGH
}
