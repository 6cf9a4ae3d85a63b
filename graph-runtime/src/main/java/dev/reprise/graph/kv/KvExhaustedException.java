package dev.reprise.graph.kv;

/** No KV block is free. */
public final class KvExhaustedException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  KvExhaustedException(int blocks) {
    super("All " + blocks + " KV blocks are in use; close a sequence or give the pool more blocks");
  }

  /**
   * A sequence needs more blocks than the pool has and can get.
   *
   * @param blocks blocks that sequences can have now
   * @param needed blocks that it needs
   */
  public KvExhaustedException(int blocks, int needed) {
    super(
        "%d KV blocks are needed; the pool has %d, and memory or budget for more was refused; free device memory, raise the budget, or ask for fewer tokens"
            .formatted(needed, blocks));
  }
}
