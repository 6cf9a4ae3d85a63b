package dev.reprise.cli;

import dev.reprise.cli.plot.PlotFile;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Files that options name, looked at before the work is done, so that nothing is lost at its end.
 */
final class OutputFiles {

  private OutputFiles() {}

  /**
   * Checks a file to be read.
   *
   * @throws IllegalArgumentException if it is not there
   */
  static void checkSource(String flag, Path file) {
    if (!Files.isRegularFile(file)) {
      throw new IllegalArgumentException(
          "%s %s: %s"
              .formatted(
                  flag, file, Files.exists(file) ? "this is not a file" : "there is no such file"));
    }
  }

  /**
   * Checks a file to be written; null is none.
   *
   * @throws IllegalArgumentException if it cannot be, as far as can be seen
   */
  static void checkTarget(String flag, @Nullable Path file) {
    if (file == null) {
      return;
    }
    Path folder = file.toAbsolutePath().getParent();
    if (Files.isDirectory(file) || folder == null || !Files.isDirectory(folder)) {
      throw new IllegalArgumentException(
          "%s %s: %s"
              .formatted(
                  flag,
                  file,
                  Files.isDirectory(file) ? "this is a folder" : "there is no such folder"));
    }
  }

  /** Checks a picture to be written; null is none. */
  static void checkPlot(String flag, @Nullable Path file) {
    checkTarget(flag, file);
    if (file != null && !PlotFile.accepts(file)) {
      throw new IllegalArgumentException(flag + " must end in .svg or .png; it is " + file);
    }
  }
}
