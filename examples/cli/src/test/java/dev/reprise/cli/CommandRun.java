package dev.reprise.cli;

import java.io.ByteArrayInputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;

/**
 * One run of the command in this process.
 *
 * @param code the exit code
 * @param out standard output
 * @param err standard error
 */
record CommandRun(int code, String out, String err) {

  static CommandRun of(StoryEngine engine, String... arguments) {
    return withInput("", engine, arguments);
  }

  static CommandRun withInput(String input, StoryEngine engine, String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int code =
        Main.commandLine(engine, new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)))
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err))
            .execute(arguments);
    return new CommandRun(code, out.toString(), err.toString());
  }

  /** A run that must end before the engine is asked. */
  static CommandRun withoutEngine(String... arguments) {
    return of(
        (options, sink) -> {
          throw new AssertionError("the engine was asked for " + options);
        },
        arguments);
  }
}
