/** The reprise command. */
module dev.reprise.cli {
  requires dev.reprise.llama;
  requires dev.reprise.bindings;
  requires dev.reprise.cuda;
  requires dev.reprise.graph;
  requires dev.reprise.softgpu;
  requires info.picocli;
  requires java.desktop;
  requires tools.jackson.databind;
  requires jdk.management;
  requires xchart;
  requires org.slf4j;
  requires static org.jspecify;

  opens dev.reprise.cli to
      info.picocli;
}
