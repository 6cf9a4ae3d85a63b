/** Shape buckets, graph keys and cache, workspaces, paged KV and the decode loop. */
module dev.reprise.graph {
  requires transitive dev.reprise.cuda;
  requires dev.reprise.kernels;
  requires org.slf4j;
  requires static org.jspecify;

  exports dev.reprise.graph;
}
