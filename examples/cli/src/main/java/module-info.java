/** The reprise command. */
module dev.reprise.cli {
  requires dev.reprise.llama;
  requires dev.reprise.bindings;
  requires dev.reprise.cuda;
  requires dev.reprise.graph;
  requires info.picocli;
  requires tools.jackson.databind;
  requires jdk.management;
  requires org.slf4j;
  requires static org.jspecify;

  opens dev.reprise.cli to
      info.picocli;
}
