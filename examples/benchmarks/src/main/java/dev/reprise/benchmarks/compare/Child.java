package dev.reprise.benchmarks.compare;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A process to be started. */
final class Child {

  private static final double NANOSECONDS_PER_MILLISECOND = 1e6;

  private final ProcessBuilder builder;

  Child(List<String> command, List<String> arguments) {
    List<String> all = new ArrayList<>(command);
    all.addAll(arguments);
    builder = new ProcessBuilder(all).redirectError(ProcessBuilder.Redirect.INHERIT);
  }

  /** Lets the dynamic loader look for libraries in a folder first. */
  Child withLibraries(Path folder) {
    builder.environment().put("LD_LIBRARY_PATH", folder.toString());
    return this;
  }

  /** Runs it to its end. */
  String output() throws IOException, InterruptedException {
    Process process = builder.start();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    succeeds(process);
    return text;
  }

  /** Runs it to its end; gives the milliseconds from before its start to its first byte. */
  double millisecondsToFirstByte() throws IOException, InterruptedException {
    long begin = System.nanoTime();
    Process process = builder.start();
    try (InputStream out = process.getInputStream()) {
      int first = out.read();
      double elapsed = (System.nanoTime() - begin) / NANOSECONDS_PER_MILLISECOND;
      succeeds(process);
      if (first != '!') {
        throw new IOException("%s did not say that it was done".formatted(builder.command()));
      }
      return elapsed;
    }
  }

  private void succeeds(Process process) throws IOException, InterruptedException {
    int status = process.waitFor();
    if (status != 0) {
      throw new IOException("%s ended with status %d".formatted(builder.command(), status));
    }
  }
}
