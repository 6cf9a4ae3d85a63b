package dev.reprise.kernels.reference;

/** Attention of one query head over a sequence in a paged KV pool. */
public final class AttentionReference {

  private AttentionReference() {}

  /**
   * Softmax of all scores first, then the weighted sum of values.
   *
   * @param query the head's query
   * @param keys keys of the pool
   * @param values values of the pool
   * @param shape shape of the pool
   * @param table KV blocks of the sequence
   * @param last last position attended to
   * @param kvHead key/value head
   * @param scale factor of the scores
   */
  public static double[] attend(
      float[] query,
      float[] keys,
      float[] values,
      PoolShape shape,
      int[] table,
      int last,
      int kvHead,
      double scale) {
    double[] weights = new double[last + 1];
    double largest = Double.NEGATIVE_INFINITY;
    for (int position = 0; position <= last; position++) {
      int at = shape.slot(table, position, kvHead);
      double score = 0;
      for (int d = 0; d < query.length; d++) {
        score += (double) query[d] * keys[at + d];
      }
      weights[position] = score * scale;
      largest = Math.max(largest, weights[position]);
    }
    double total = 0;
    for (int position = 0; position <= last; position++) {
      weights[position] = Math.exp(weights[position] - largest);
      total += weights[position];
    }
    double[] out = new double[query.length];
    for (int position = 0; position <= last; position++) {
      int at = shape.slot(table, position, kvHead);
      for (int d = 0; d < query.length; d++) {
        out[d] += weights[position] / total * values[at + d];
      }
    }
    return out;
  }
}
