package dev.reprise.cli;

import dev.reprise.cli.text.Nearest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Turns what went wrong into one line on standard error and an exit code. */
final class ErrorLines {
  private ErrorLines() {}

  /** Bad usage: says which flag, and what would do. */
  static int usage(ParameterException failure, String[] arguments) {
    CommandLine line = failure.getCommandLine();
    String command = line.getCommandSpec().qualifiedName(" ");
    print(line, command + ": " + usageMessage(failure, line) + " (see \"" + command + " --help\")");
    return line.getCommandSpec().exitCodeOnInvalidInput();
  }

  /**
   * A run that failed: the message of the failure, and its stack trace if the user wants details.
   */
  static int run(Exception failure, CommandLine line, ParseResult parsed) {
    boolean verbose = line.getParseResult().hasMatchedOption(Main.VERBOSE);
    String message = failure.getMessage();
    String text = message == null || message.isBlank() ? failure.getClass().getName() : message;
    String hint = verbose ? "" : " (" + Main.VERBOSE + " shows where)";
    print(line, line.getCommandSpec().qualifiedName(" ") + ": " + text + hint);
    if (verbose) {
      failure.printStackTrace(line.getErr());
      line.getErr().flush();
    }
    return line.getCommandSpec().exitCodeOnExecutionException();
  }

  private static String usageMessage(ParameterException failure, CommandLine line) {
    if (failure instanceof UnmatchedArgumentException unmatched
        && !unmatched.getUnmatched().isEmpty()) {
      return unmatched(unmatched.getUnmatched().getFirst(), line);
    }
    return String.valueOf(failure.getMessage());
  }

  private static String unmatched(String argument, CommandLine line) {
    if (argument.startsWith("-")) {
      int value = argument.indexOf('=');
      String option = value < 0 ? argument : argument.substring(0, value);
      return "unknown option " + option + near(option, line.getCommandSpec().optionsMap().keySet());
    }
    if (!line.getSubcommands().isEmpty()) {
      return "unknown command \""
          + argument
          + "\""
          + near(argument, line.getSubcommands().keySet());
    }
    return "unexpected argument \"" + argument + "\"; a text of several words needs quotes";
  }

  private static String near(String typed, Iterable<String> known) {
    List<String> words = new ArrayList<>();
    known.forEach(words::add);
    Optional<String> nearest = Nearest.to(typed, words);
    return nearest.map(word -> "; did you mean " + word + "?").orElse("");
  }

  private static void print(CommandLine line, String text) {
    line.getErr().println(text.strip().replaceAll("\\s*\\R\\s*", " | "));
    line.getErr().flush();
  }
}
