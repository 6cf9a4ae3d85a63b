/** Shape buckets, graph keys and cache, workspaces, paged KV and the decode loop. */
module dev.reprise.graph {
  requires transitive dev.reprise.cuda;
  requires transitive dev.reprise.kernels;
  requires org.slf4j;
  requires tools.jackson.databind;
  requires static org.jspecify;

  exports dev.reprise.graph.adapter;
  exports dev.reprise.graph.autotune;
  exports dev.reprise.graph.bucket;
  exports dev.reprise.graph.cache;
  exports dev.reprise.graph.decode;
  exports dev.reprise.graph.host;
  exports dev.reprise.graph.input;
  exports dev.reprise.graph.json;
  exports dev.reprise.graph.kv;
  exports dev.reprise.graph.model;
  exports dev.reprise.graph.tune;
  exports dev.reprise.graph.schedule;
  exports dev.reprise.graph.workspace;
}
