package dev.reprise.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option of commands that may choose kernel variants before they measure. */
final class KernelOptions {

  @Option(
      names = "--kernels",
      paramLabel = "FOLDER",
      description =
          "Choose kernel variants by measurement first; choices are kept in this folder, and used"
              + " again on the same device, driver and kernels.")
  private @Nullable Path folder;

  /** Checks that a folder is there or may be made. */
  void check() {
    if (folder == null) {
      return;
    }
    if (Files.exists(folder) && !Files.isDirectory(folder)) {
      throw new IllegalArgumentException(
          "--kernels " + folder + ": this is a file; name a folder, which is made if need be");
    }
  }

  Optional<Path> folder() {
    return Optional.ofNullable(folder);
  }
}
