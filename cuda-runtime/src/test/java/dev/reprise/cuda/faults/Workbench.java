package dev.reprise.cuda.faults;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cuda.CudaModule;
import dev.reprise.cuda.Device;
import dev.reprise.cuda.DeviceBuffer;
import dev.reprise.cuda.Eventually;
import dev.reprise.cuda.KernelArg;
import dev.reprise.cuda.LaunchConfig;
import dev.reprise.cuda.LiveResources;
import dev.reprise.cuda.PinnedBuffer;
import dev.reprise.cuda.PreparedLaunch;
import dev.reprise.cuda.RecordingListener;
import dev.reprise.cuda.Stream;
import dev.reprise.cuda.WaitCondition;
import dev.reprise.cuda.diagnostics.Diagnostics;
import dev.reprise.cuda.diagnostics.ResourceKind;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Objects;

/** A device with what most operations need, and everything that an operation makes. */
final class Workbench implements AutoCloseable {

  static final String PTX = ptx();
  static final int BYTES = 64;

  private final Map<ResourceKind, Integer> before = LiveResources.snapshot();

  final RecordingListener listener = new RecordingListener();
  final Device device = Device.open(0, Diagnostics.standard().withListener(listener));
  final CudaModule module = device.loadModule("kernels", PTX);
  final Stream stream = device.createStream("stream");
  final DeviceBuffer a = device.allocate("a", BYTES);
  final DeviceBuffer b = device.allocate("b", BYTES);
  final PinnedBuffer pinned = device.allocatePinned("pinned", BYTES);

  private final Deque<AutoCloseable> made = new ArrayDeque<>();

  Workbench() {
    stream.fill32(a, 0, BYTES / 4, 0);
    stream.fill32(b, 0, BYTES / 4, 0);
    stream.synchronize();
  }

  private static String ptx() {
    try (InputStream in = Device.class.getResourceAsStream("kernels.ptx")) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Has something closed with the workbench, before what was made earlier. */
  <T extends AutoCloseable> T keep(T object) {
    made.push(object);
    return object;
  }

  /** A launch that writes {@code value} to all of a buffer. */
  PreparedLaunch fill(DeviceBuffer target, int value) {
    return module
        .kernel("fill")
        .prepare(
            LaunchConfig.covering(BYTES / 4, 16),
            KernelArg.write(target),
            KernelArg.i32(value),
            KernelArg.i32(BYTES / 4));
  }

  /** Holds a stream until {@link #letGo}. */
  void hold(Stream held) {
    pinned.segment().set(JAVA_INT, 0, 0);
    held.waitValue32(pinned, 0, 1, WaitCondition.EQUAL);
  }

  /** Ends {@link #hold}. */
  void letGo() {
    pinned.segment().set(JAVA_INT, 0, 1);
  }

  /** Everyday work gives right results. */
  void checkUsable() {
    try (Stream fresh = device.createStream("fresh");
        DeviceBuffer memory = device.allocate("memory", BYTES)) {
      for (Stream each : new Stream[] {fresh, stream}) {
        fill(memory, 5).launch(each);
        int[] values = new int[BYTES / 4];
        each.read(memory, 0, values);
        assertThat(values).containsOnly(5);
        each.fill32(memory, 0, BYTES / 4, 0);
        each.synchronize();
      }
    }
  }

  /** Closes everything; nothing may throw. */
  @Override
  public void close() {
    while (!made.isEmpty()) {
      try {
        made.pop().close();
      } catch (Exception e) {
        throw new AssertionError("closing does not fail", e);
      }
    }
    a.close();
    b.close();
    stream.close();
    module.close();
    pinned.close();
    device.close();
  }

  /** After {@link #close}: nothing is left of it. */
  void assertReleased() {
    Eventually.isTrue(
        "live " + LiveResources.snapshot() + " back to " + before,
        () -> LiveResources.snapshot().equals(before));
  }
}
