package dev.reprise.cuda;

/** When a number in memory lets a waiting stream go on; see {@link Stream#waitValue32}. */
public enum WaitCondition {
  /** The number minus the wanted one is not negative; the difference wraps. */
  GREATER_OR_EQUAL,
  /** The number is the wanted one. */
  EQUAL,
  /** The number has a bit of the wanted one. */
  AND,
  /** A bit is set neither in the number nor in the wanted one. */
  NOR
}
