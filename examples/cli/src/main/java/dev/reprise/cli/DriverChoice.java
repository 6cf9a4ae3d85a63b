package dev.reprise.cli;

import dev.reprise.cli.text.Nearest;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The values of {@code --driver}. */
final class DriverChoice {
  private static final List<String> NAMES = List.of("auto", "cuda", "software");

  private DriverChoice() {}

  /**
   * @throws IllegalArgumentException when the choice is neither a name nor the path of a file
   */
  static void check(String choice) {
    if (NAMES.contains(choice)) {
      return;
    }
    if (!looksLikeAPath(choice)) {
      Optional<String> near = Nearest.to(choice, NAMES);
      throw new IllegalArgumentException(
          "--driver must be auto, cuda, software or the path of a library; it is \""
              + choice
              + "\""
              + near.map(name -> ", did you mean " + name + "?").orElse(""));
    }
    if (!isFile(choice)) {
      throw new IllegalArgumentException("--driver " + choice + ": there is no such file");
    }
  }

  private static boolean looksLikeAPath(String choice) {
    return choice.contains("/")
        || choice.contains("\\")
        || choice.contains(".so")
        || choice.endsWith(".dll");
  }

  private static boolean isFile(String choice) {
    try {
      return Files.isRegularFile(Path.of(choice));
    } catch (InvalidPathException e) {
      return false;
    }
  }
}
