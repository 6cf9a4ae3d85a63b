/** The reprise command. */
module dev.reprise.cli {
  requires dev.reprise.llama;
  requires dev.reprise.bindings;
  requires info.picocli;
  requires tools.jackson.databind;
  requires org.slf4j;
  requires static org.jspecify;

  uses dev.reprise.cli.StoryEngine;

  opens dev.reprise.cli to
      info.picocli;
}
