package dev.reprise.graph.autotune;

/** What became of the file of choices. */
public enum CacheState {
  /** None was asked for. */
  OFF,
  /** There was none; it is written. */
  ABSENT,
  /** It was read; what is new is added. */
  USED,
  /** It cannot be read or is not valid: ignored and left as it is. */
  CORRUPT,
  /** It was made for another device, driver or kernels: ignored and left as it is. */
  FOREIGN;

  /** Whether the file may be written. */
  boolean writable() {
    return this == ABSENT || this == USED;
  }
}
