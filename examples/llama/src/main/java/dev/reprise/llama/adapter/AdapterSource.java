package dev.reprise.llama.adapter;

import java.util.Map;

/** An adapter as a file holds it: matrices by the names of their kind of file. */
interface AdapterSource {

  /** For messages. */
  String name();

  /**
   * The pairs of the file by the matrix of a GGUF model that each adds to, such as {@code
   * blk.0.attn_q}; the rows of B are in the order of that matrix.
   *
   * @throws AdapterFileException if something in the file belongs to no such matrix
   */
  Map<String, LowRankPair> pairs();
}
