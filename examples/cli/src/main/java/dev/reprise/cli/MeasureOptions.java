package dev.reprise.cli;

import dev.reprise.cli.measure.Progress;
import dev.reprise.cli.text.IntRanges;
import java.io.Console;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** Options of every command that measures a model on a device. */
final class MeasureOptions {

  private static final int MOST_ROWS = 1024;
  private static final int MOST_POSITIONS = 1 << 20;

  @Option(
      names = "--driver",
      paramLabel = "D",
      description =
          "auto, cuda, software, or the path of a library (default: what the environment says, else"
              + " auto).")
  private @Nullable String driver;

  @Option(
      names = "--model",
      paramLabel = "FILE",
      description = "A GGUF file to measure with (default: the embedded model).")
  private @Nullable Path model;

  /** Checks both. */
  void check() {
    if (driver != null) {
      DriverChoice.check(driver);
    }
    if (model != null) {
      OutputFiles.checkSource("--model", model);
    }
  }

  boolean given() {
    return driver != null || model != null;
  }

  Optional<String> driver() {
    return Optional.ofNullable(driver);
  }

  Optional<Path> model() {
    return Optional.ofNullable(model);
  }

  static List<Integer> rows(String flag, String text) {
    return IntRanges.parse(flag, text, 1, MOST_ROWS);
  }

  static List<Integer> positions(String flag, String text, int least) {
    return IntRanges.parse(flag, text, least, MOST_POSITIONS);
  }

  /**
   * A number within bounds.
   *
   * @throws IllegalArgumentException naming the flag, the number and what would do
   */
  static int within(String flag, int value, int most) {
    if (value < 1 || value > most) {
      throw new IllegalArgumentException(
          "%s must be 1 to %d; it is %d".formatted(flag, most, value));
    }
    return value;
  }

  /** On standard error; as a bar if this is a terminal. */
  static Progress progress(CommandLine line) {
    Console console = System.console();
    return Progress.on(
        line.getErr(),
        line.getCommandSpec().qualifiedName(" "),
        console != null && console.isTerminal());
  }
}
