package dev.reprise.llama.adapter;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeSet;

/** Brings the A and the B of each matrix together. */
final class PairCollector {

  /** The largest rank of any adapter that a slot could hold; bounds what a file can ask for. */
  private static final int MAX_RANK = 1024;

  /** The scale of a pair by its rank. */
  @FunctionalInterface
  interface Scale {
    float of(int rank);
  }

  private final String file;
  private final Map<String, Matrix> a = new LinkedHashMap<>();
  private final Map<String, Matrix> b = new LinkedHashMap<>();

  PairCollector(String file) {
    this.file = file;
  }

  void a(String target, Matrix matrix) {
    put(a, target, "A", matrix);
  }

  void b(String target, Matrix matrix) {
    put(b, target, "B", matrix);
  }

  private void put(Map<String, Matrix> to, String target, String which, Matrix matrix) {
    if (to.put(target, matrix) != null) {
      throw new AdapterFileException(file, "it has two matrices " + which + " for " + target);
    }
  }

  Map<String, LowRankPair> pairs(Scale scale) {
    TreeSet<String> lonely = new TreeSet<>(a.keySet());
    lonely.removeAll(b.keySet());
    TreeSet<String> others = new TreeSet<>(b.keySet());
    others.removeAll(a.keySet());
    lonely.addAll(others);
    if (!lonely.isEmpty()) {
      throw new AdapterFileException(
          file, "of %s it has only one of the two matrices".formatted(lonely.first()));
    }
    if (a.isEmpty()) {
      throw new AdapterFileException(file, "it has no matrices of an adapter");
    }
    Map<String, LowRankPair> pairs = new LinkedHashMap<>();
    a.forEach((target, left) -> {
      Matrix right = b.get(target);
      if (right != null) {
        pairs.put(target, pair(target, left, right, scale));
      }
    });
    return pairs;
  }

  private LowRankPair pair(String target, Matrix left, Matrix right, Scale scale) {
    int rank = left.rows();
    if (rank < 1 || rank > MAX_RANK || right.columns() != rank) {
      throw new AdapterFileException(
          file,
          "for %s A is %d x %d and B %d x %d; A must have as many rows as B has columns, 1 to %d"
              .formatted(
                  target, left.rows(), left.columns(), right.rows(), right.columns(), MAX_RANK));
    }
    return new LowRankPair(
        rank,
        left.columns(),
        right.rows(),
        scale.of(rank),
        numbers(target, left),
        numbers(target, right));
  }

  private float[] numbers(String target, Matrix matrix) {
    float[] values = matrix.values();
    for (float value : values) {
      if (!Float.isFinite(value)) {
        throw new AdapterFileException(
            file, "a matrix for %s holds %s, which is no number".formatted(target, value));
      }
    }
    return values;
  }
}
