package dev.reprise.softgpu.profile;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Profiles the whole process into a file, for any program that uses the software GPU. */
public final class ProfileFile {

  /**
   * Environment variable, or system property, for the file that is written when the process ends:
   * JSON or CSV by its name, else a table.
   */
  public static final String SETTING = "REPRISE_SOFTGPU_PROFILE";

  private static final Logger LOG = LoggerFactory.getLogger(ProfileFile.class);

  private ProfileFile() {}

  /**
   * Starts the profiler if the setting names a file.
   *
   * @throws IllegalArgumentException if there is no folder for it
   */
  public static void ofEnvironment(Profiler profiler) {
    String name = System.getProperty(SETTING, System.getenv(SETTING));
    if (name == null || name.isBlank()) {
      return;
    }
    Path file = path(name.strip());
    profiler.start();
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> write(profiler, file), "software-gpu-profile"));
  }

  private static Path path(String name) {
    try {
      Path file = Path.of(name).toAbsolutePath();
      Path folder = file.getParent();
      if (folder != null && Files.isDirectory(folder) && !Files.isDirectory(file)) {
        return file;
      }
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException(SETTING + " is no path: " + e.getMessage(), e);
    }
    throw new IllegalArgumentException(
        SETTING + " must be a file in a folder that exists: " + name);
  }

  private static void write(Profiler profiler, Path file) {
    try {
      Files.writeString(file, text(file.toString(), profiler.kernels()));
    } catch (IOException e) {
      LOG.error("the profile could not be written to {}: {}", file, e.toString());
    }
  }

  /** The profiles as the name of a file asks for. */
  static String text(String name, List<KernelProfile> profiles) {
    if (name.endsWith(".json")) {
      return ProfileReport.json(profiles) + "\n";
    }
    return name.endsWith(".csv")
        ? ProfileReport.csv(profiles)
        : String.join("\n", ProfileReport.lines(profiles)) + "\n";
  }
}
