package dev.reprise.graph.kv;

import org.jspecify.annotations.Nullable;

/** A KV block was used after its last reference was given back. */
public final class FreedBlockException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  private final int block;

  FreedBlockException(
      @Nullable String owner, int block, int generation, int currentGeneration, int references) {
    super(
        "%sKV block %d (generation %d) was freed; %s"
            .formatted(
                owner == null ? "" : owner + ": ",
                block,
                generation,
                references == 0
                    ? "it is free now"
                    : "its id is in use again as generation " + currentGeneration));
    this.block = block;
  }

  /** The id of the freed block. */
  public int block() {
    return block;
  }
}
