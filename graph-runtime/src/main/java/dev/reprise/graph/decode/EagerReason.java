package dev.reprise.graph.decode;

/** Why a step was not a replay. */
public enum EagerReason {
  /** The options ask for it. */
  ASKED,
  /** No bucket is replayed for it: none fits, or the one that does is marked as eager. */
  NO_BUCKET,
  /** Its shape is not captured yet. */
  COLD,
  /** The capture of its shape failed; it is tried again after a while. */
  CAPTURE_FAILED,
  /** No room was left for its graph. */
  NO_ROOM,
  /** Too many graphs were captured that were hardly replayed, so that no more are for a while. */
  BREAKER,
  /** Memory that its graph uses was closed or moved; the graph was dropped. */
  STALE
}
