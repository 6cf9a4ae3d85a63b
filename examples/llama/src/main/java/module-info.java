/** GGUF files, their tokenizer, and a Llama model on the graph runtime. */
module dev.reprise.llama {
  requires transitive dev.reprise.graph;
  requires dev.reprise.kernels;
  requires org.slf4j;
  requires static org.jspecify;

  exports dev.reprise.llama;
  exports dev.reprise.llama.adapter;
  exports dev.reprise.llama.gguf;
  exports dev.reprise.llama.tokenizer;
}
