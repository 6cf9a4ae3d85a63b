package dev.reprise.cuda;

/**
 * What a semaphore of another driver is (CUDA Driver API, {@code CUexternalSemaphoreHandleType}).
 */
public enum ExternalSemaphoreKind {
  /** A descriptor of a binary semaphore: a signal sets it, and the wait that it ends resets it. */
  BINARY_FD,
  /** A descriptor of a timeline: a number that signals raise and waits wait for. */
  TIMELINE_FD
}
