package dev.reprise.benchmarks.compare;

import java.nio.file.Path;
import java.util.List;

/**
 * How much is measured, and with what.
 *
 * @param rounds processes of each arm, one in each round
 * @param warmups iterations that are not measured, of 100 ms
 * @param iterations iterations of a process
 * @param milliseconds of an iteration
 * @param startRounds processes of each arm that measures a start
 * @param nvidia NVIDIA's driver library
 * @param built the folder of what {@code src/native/build} built
 * @param scratch a folder for files that are not kept
 */
record Plan(
    int rounds,
    int warmups,
    int iterations,
    int milliseconds,
    int startRounds,
    Path nvidia,
    Path built,
    Path scratch) {

  static final int WARMUP_MILLISECONDS = 100;

  static Plan full(Path nvidia, Path built, Path scratch) {
    return new Plan(5, 6, 20, 20, 9, nvidia, built, scratch);
  }

  static Plan quick(Path nvidia, Path built, Path scratch) {
    return new Plan(2, 4, 10, 20, 3, nvidia, built, scratch);
  }

  Path driver(Operation.Driver driver) {
    return switch (driver) {
      case NVIDIA -> nvidia;
      case STUB -> built.resolve("stub/libcuda.so.1");
    };
  }

  /** The options of a JVM in which every binding calls that library. */
  List<String> jvmOptions(Operation.Driver driver) {
    Path library = driver(driver);
    return List.of(
        "--enable-native-access=ALL-UNNAMED",
        // JMH and LWJGL use it; the warnings of each process would drown the rest.
        "--sun-misc-unsafe-memory-access=allow",
        "-XX:+UseSerialGC",
        "-Dreprise.benchmarks.driver=" + library,
        "-Dreprise.benchmarks.cudart=" + built.resolve("libcudart.so.12"),
        "-Dreprise.driver=" + library,
        "-Dorg.lwjgl.cuda.libname=" + library,
        "-Dorg.bytedeco.javacpp.cachedir=" + scratch.resolve("javacpp"),
        "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn");
  }
}
