package dev.reprise.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cuda.diagnostics.Diagnostics;
import dev.reprise.cuda.diagnostics.ResourceKind;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;

/**
 * A device with the test kernels for each test. Afterwards everything must be released, and nothing
 * may have failed on the way.
 */
abstract class GpuTest {

  final RecordingListener listener = new RecordingListener();

  private boolean testFailed;
  private Map<ResourceKind, Integer> before = Map.of();
  Device device;
  CudaModule module;
  Stream stream;

  @SuppressWarnings("NullAway.Init") // set before each test
  GpuTest() {}

  /** What a failed test leaves open would only hide its failure behind another. */
  @RegisterExtension
  final TestExecutionExceptionHandler noteFailure =
      (context, thrown) -> {
        testFailed = true;
        throw thrown;
      };

  @BeforeEach
  void open() {
    before = LiveResources.snapshot();
    device = Device.open(0, diagnostics().withListener(listener));
    // What earlier tests have freed in the order of their streams is back then.
    device.synchronize();
    module = device.loadModule("kernels", ptx());
    stream = device.createStream("main");
  }

  /** What the device of each test is opened with. */
  Diagnostics diagnostics() {
    return Diagnostics.standard();
  }

  @AfterEach
  void everythingIsReleased() {
    stream.close();
    module.close();
    device.close();
    if (!testFailed) {
      assertReleased();
    }
    assertThat(listener.failures).isEmpty();
  }

  final void assertReleased() {
    Eventually.isTrue(
        "live " + LiveResources.snapshot() + " back to " + before,
        () -> LiveResources.snapshot().equals(before));
  }

  /** Live objects of a kind beyond those before the test. */
  final int live(ResourceKind kind) {
    return LiveResources.count(kind) - Objects.requireNonNull(before.get(kind));
  }

  static String ptx() {
    try (InputStream in = GpuTest.class.getResourceAsStream("kernels.ptx")) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  final PreparedLaunch fill(DeviceBuffer out, int value, int n) {
    return module
        .kernel("fill")
        .prepare(
            LaunchConfig.covering(n, 64),
            KernelArg.write(out),
            KernelArg.i32(value),
            KernelArg.i32(n));
  }

  final PreparedLaunch increment(DeviceBuffer counter) {
    return module.kernel("increment").prepare(LaunchConfig.of(1, 1), KernelArg.readWrite(counter));
  }

  final DeviceBuffer ints(String label, int... values) {
    DeviceBuffer buffer = device.allocate(label, values.length * 4L);
    stream.write(MemorySegment.ofArray(values), buffer, 0);
    return buffer;
  }

  final int[] read(DeviceBuffer buffer) {
    int[] values = new int[Math.toIntExact(buffer.size() / 4)];
    stream.read(buffer, 0, MemorySegment.ofArray(values));
    return values;
  }

  /** Work that stays in flight on a stream until the gate is opened. */
  final class Gate implements AutoCloseable {
    private final PinnedBuffer flag = device.allocatePinned("gate", 4);

    Gate(Stream held) {
      flag.segment().set(JAVA_INT, 0, 0);
      module
          .kernel("gate")
          .prepare(LaunchConfig.of(1, 1), KernelArg.i64(flag.segment().address()))
          .launch(held);
    }

    void letGo() {
      flag.segment().set(JAVA_INT, 0, 1);
    }

    /** Opens the gate and waits for its kernel, which reads the flag. */
    void letGoAndWait(Stream held) {
      letGo();
      held.synchronize();
    }

    @Override
    public void close() {
      letGo();
      // The flag is passed as a number, so that the runtime does not know who reads it.
      device.synchronize();
      flag.close();
    }
  }
}
