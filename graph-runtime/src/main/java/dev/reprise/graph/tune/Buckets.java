package dev.reprise.graph.tune;

import dev.reprise.graph.bucket.Bucket;
import java.util.Comparator;

/** Order of buckets in tables. */
final class Buckets {

  /** Fewest rows first, then the shortest context. */
  static final Comparator<Bucket> BY_SIZE =
      Comparator.comparingInt(Bucket::rows).thenComparingInt(Bucket::context);

  private Buckets() {}
}
