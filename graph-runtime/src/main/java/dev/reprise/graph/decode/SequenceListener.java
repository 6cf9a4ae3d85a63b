package dev.reprise.graph.decode;

import org.jspecify.annotations.Nullable;

/** Is told what becomes of a sequence, on the thread that turns the engine. */
public interface SequenceListener {

  /** It has blocks and begins to run; after a preemption once more. */
  default void onAdmitted() {}

  /** It lost its blocks to others and waits to be computed again; its tokens stand. */
  default void onPreempted() {}

  /**
   * A token is known.
   *
   * @return whether to go on; if not, the sequence ends as cancelled
   */
  boolean onToken(int token);

  /**
   * It is over; nothing follows.
   *
   * @param failure what failed, if that is the reason
   */
  void onEnd(FinishReason reason, @Nullable RuntimeException failure);
}
