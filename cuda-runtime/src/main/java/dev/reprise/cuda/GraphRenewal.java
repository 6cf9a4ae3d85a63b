package dev.reprise.cuda;

/**
 * What {@link GraphExec#renew} did.
 *
 * @param exec the executable graph to replay from now on
 * @param update what came of the update; if it was not possible, {@code exec} is a new one and the
 *     old one is closed
 */
public record GraphRenewal(GraphExec exec, GraphUpdateResult update) {

  /** Whether it had to be instantiated anew. */
  public boolean instantiated() {
    return !update.updated();
  }
}
