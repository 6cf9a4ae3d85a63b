package dev.reprise.graph.kv;

/** No KV block is free. */
public final class KvExhaustedException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  KvExhaustedException(int blocks) {
    super("All " + blocks + " KV blocks are in use; close a sequence or give the pool more blocks");
  }
}
