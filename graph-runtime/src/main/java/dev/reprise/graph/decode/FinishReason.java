package dev.reprise.graph.decode;

/** Why a request ended. */
public enum FinishReason {
  /** A stop token was sampled. */
  STOP,
  /** The limit on tokens or the end of the context was reached. */
  LENGTH,
  /** It was cancelled. */
  CANCELLED,
  /** Its deadline passed. */
  DEADLINE,
  /** A step of it failed. */
  FAILED
}
