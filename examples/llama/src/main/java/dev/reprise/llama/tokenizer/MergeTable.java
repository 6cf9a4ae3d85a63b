package dev.reprise.llama.tokenizer;

import dev.reprise.llama.gguf.GgufFile;
import dev.reprise.llama.text.Quote;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Which pairs of tokens become one token, in the order of their ranks: the lower the rank, the
 * sooner.
 */
final class MergeTable {
  private static final String KEY = "tokenizer.ggml.merges";

  // A hash map of boxed pairs, because its trees keep a crafted file from making look-ups slow.
  private final Map<Long, Integer> ranks = new HashMap<>();
  private final int[] results;

  private MergeTable(int size) {
    this.results = new int[size];
  }

  static MergeTable from(GgufFile file, Vocabulary vocabulary) {
    List<String> merges = file.metadata().strings(KEY);
    MergeTable table = new MergeTable(merges.size());
    for (int rank = 0; rank < merges.size(); rank++) {
      String merge = merges.get(rank);
      int space = merge.indexOf(' ');
      if (space <= 0 || space == merge.length() - 1 || merge.indexOf(' ', space + 1) >= 0) {
        throw new TokenizerException(
            file.name(),
            KEY
                + "["
                + rank
                + "] must be two tokens with a space between, and is "
                + Quote.quote(merge));
      }
      String left = merge.substring(0, space);
      String right = merge.substring(space + 1);
      int leftId = id(file, vocabulary, rank, left);
      int rightId = id(file, vocabulary, rank, right);
      table.results[rank] = id(file, vocabulary, rank, left + right);
      if (table.ranks.putIfAbsent(pair(leftId, rightId), rank) != null) {
        throw new TokenizerException(
            file.name(), KEY + "[" + rank + "] " + Quote.quote(merge) + " was there before");
      }
    }
    return table;
  }

  /** The rank of the merge of two tokens, or -1 when they do not merge. */
  int rank(int left, int right) {
    return ranks.getOrDefault(pair(left, right), -1);
  }

  /** The token that the merge of a rank gives. */
  int result(int rank) {
    return results[rank];
  }

  private static int id(GgufFile file, Vocabulary vocabulary, int rank, String token) {
    int id = vocabulary.id(token);
    if (id < 0) {
      throw new TokenizerException(
          file.name(),
          KEY
              + "["
              + rank
              + "] needs the token "
              + Quote.quote(token)
              + ", which is not in tokenizer.ggml.tokens");
    }
    return id;
  }

  private static long pair(int left, int right) {
    return (long) left << 32 | right;
  }
}
