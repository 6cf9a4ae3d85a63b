package dev.reprise.cli.doctor;

import dev.reprise.cuda.CudaModule;
import dev.reprise.cuda.Device;
import dev.reprise.cuda.DeviceBuffer;
import dev.reprise.cuda.Graph;
import dev.reprise.cuda.GraphExec;
import dev.reprise.cuda.KernelArg;
import dev.reprise.cuda.LaunchConfig;
import dev.reprise.cuda.PreparedLaunch;
import dev.reprise.cuda.Stream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The least that a decode loop needs of a device: PTX is compiled, a kernel is launched, captured
 * and replayed, and its result is read back.
 *
 * <p>A device that is listed may still fail here: a container without the PTX compiler, a driver
 * older than the PTX, a device that another process holds for itself.
 */
final class DeviceTrial {

  private static final String PTX = "trial.ptx";
  private static final int COUNT = 1000;
  private static final int BLOCK = 128;
  private static final int STEP = 3;

  private String step = "loading PTX";

  private DeviceTrial() {}

  /** The step that failed and why; null when all went well. */
  static @Nullable String failure(Device device) {
    DeviceTrial trial = new DeviceTrial();
    Answer<Boolean> answer = Answer.of(() -> trial.run(device));
    String text = answer.failureText().orElse(null);
    return text == null ? null : trial.step + ": " + text;
  }

  private boolean run(Device device) {
    try (CudaModule module = device.loadModule("doctor", ptx());
        Stream stream = device.createStream("doctor");
        DeviceBuffer values = device.allocate("doctor values", COUNT * (long) Integer.BYTES)) {
      PreparedLaunch launch =
          module
              .kernel("add")
              .prepare(
                  LaunchConfig.covering(COUNT, BLOCK),
                  KernelArg.readWrite(values),
                  KernelArg.i32(STEP),
                  KernelArg.i32(COUNT));
      step = "launching a kernel";
      stream.fill32(values, 0, COUNT, 1);
      stream.launch(launch);
      check(stream, values, 1 + STEP);
      step = "capturing a graph";
      try (Graph graph = stream.capture(capture -> stream.launch(launch));
          GraphExec exec = graph.instantiate()) {
        step = "replaying a graph";
        exec.replay(stream);
        exec.replay(stream);
        check(stream, values, 1 + 3 * STEP);
      }
      step = "closing what the trial used";
    }
    return true;
  }

  private static void check(Stream stream, DeviceBuffer values, int expected) {
    int[] read = new int[COUNT];
    stream.read(values, 0, MemorySegment.ofArray(read));
    for (int i = 0; i < COUNT; i++) {
      if (read[i] != expected) {
        throw new IllegalStateException(
            "value %d is %d, and should be %d".formatted(i, read[i], expected));
      }
    }
  }

  private static String ptx() {
    try (InputStream in = DeviceTrial.class.getResourceAsStream(PTX)) {
      if (in == null) {
        throw new IllegalStateException("the command was packaged without " + PTX);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
