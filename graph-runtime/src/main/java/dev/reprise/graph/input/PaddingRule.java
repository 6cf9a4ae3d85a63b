package dev.reprise.graph.input;

/** What the rows between the live rows of a step and the rows of its bucket hold. */
public enum PaddingRule {
  /** Whatever is there: the kernels read nothing of it that could reach a live row. */
  KEEP,
  /** Zero. */
  ZERO,
  /** The input's sentinel, by which kernels recognise a padding row. */
  SENTINEL,
  /** A copy of row 0. */
  REPEAT_ROW_0
}
