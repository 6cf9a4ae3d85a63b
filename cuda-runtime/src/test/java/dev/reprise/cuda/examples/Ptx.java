package dev.reprise.cuda.examples;

import dev.reprise.cuda.Device;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** The code that the examples run; its sources in CUDA C are beside it. */
final class Ptx {

  private Ptx() {}

  /** Kernels such as {@code fill}, {@code scale} and {@code increment}. */
  static String kernels() {
    return read("kernels.ptx");
  }

  /** Kernels that set conditions of graphs. */
  static String conditional() {
    return read("conditional.ptx");
  }

  private static String read(String name) {
    try (InputStream in = Device.class.getResourceAsStream(name)) {
      return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
