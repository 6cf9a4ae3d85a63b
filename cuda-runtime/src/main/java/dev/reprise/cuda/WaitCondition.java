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
  NOR;

  /** Whether a number of some bits lets a stream go on that wants another. */
  boolean isMet(long number, long wanted, int bits) {
    int unused = Long.SIZE - bits;
    return switch (this) {
      case GREATER_OR_EQUAL -> (number - wanted) << unused >= 0;
      case EQUAL -> (number ^ wanted) << unused == 0;
      case AND -> (number & wanted) << unused != 0;
      case NOR -> ~(number | wanted) << unused != 0;
    };
  }
}
