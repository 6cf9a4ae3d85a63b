package dev.reprise.cuda;

/** What a kernel or a copy does with the memory behind a pointer. */
public enum Access {
  /** Reads only. */
  READ,
  /** Writes only; what was there before has no influence. */
  WRITE,
  /** Reads and writes. */
  READ_WRITE;

  /** Both. */
  Access and(Access other) {
    return this == other ? this : READ_WRITE;
  }

  boolean reads() {
    return this != WRITE;
  }

  boolean writes() {
    return this != READ;
  }
}
