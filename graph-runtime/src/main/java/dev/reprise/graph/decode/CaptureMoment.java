package dev.reprise.graph.decode;

/** When the step of a shape is captured. */
public enum CaptureMoment {
  /** Before its first decode step, which waits for it. */
  AT_FIRST_USE,
  /** When there is nothing else to do, after it was wanted; until then its steps run eagerly. */
  WHEN_IDLE
}
