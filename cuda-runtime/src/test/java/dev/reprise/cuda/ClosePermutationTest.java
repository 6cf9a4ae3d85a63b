package dev.reprise.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cuda.diagnostics.Diagnostics;
import dev.reprise.cuda.diagnostics.ResourceKind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Small sets of objects that need each other, closed in every order. */
final class ClosePermutationTest {

  /** Outlives every registration of it. */
  private static final MemorySegment REGISTERED = Arena.global().allocate(4096);

  private final RecordingListener listener = new RecordingListener();

  /** What is made together; with work in flight that uses all of it, if asked. */
  enum Objects {
    GRAPHS {
      @Override
      List<AutoCloseable> make(Device device, Gate gate) {
        Stream stream = device.createStream("stream");
        CudaModule module = device.loadModule("module", GpuTest.ptx());
        DeviceBuffer buffer = device.allocate("buffer", 16);
        PreparedLaunch launch = increment(module, buffer);
        Graph graph = stream.capture(capture -> launch.launch(stream));
        GraphExec exec = graph.instantiate();
        stream.fill32(buffer, 0, 4, 0);
        gate.hold(stream);
        exec.replay(stream);
        return List.of(stream, module, buffer, graph, exec);
      }
    },
    STREAM_ORDERED_MEMORY {
      @Override
      List<AutoCloseable> make(Device device, Gate gate) {
        Stream stream = device.createStream("stream");
        Stream other = device.createStream("other");
        MemoryPool pool = device.createMemoryPool("pool");
        DeviceBuffer buffer = stream.allocate("buffer", 16, pool);
        Event event = device.createEvent("event");
        stream.record(event);
        other.waitFor(event);
        gate.hold(other);
        other.fill32(buffer, 0, 4, 1);
        return List.of(stream, other, pool, buffer, event);
      }
    },
    HOST_MEMORY {
      @Override
      List<AutoCloseable> make(Device device, Gate gate) {
        Stream stream = device.createStream("stream");
        PinnedBuffer pinned = device.allocatePinned("pinned", 16);
        RegisteredMemory registered = device.register("registered", REGISTERED);
        RegisteredMemory again = device.register("again", REGISTERED);
        VirtualRange range = device.reserve("range", 1);
        range.grow(1);
        gate.hold(stream);
        stream.copyToDevice(pinned, 0, range.buffer(), 0, 16);
        stream.copyToDevice(registered, 0, range.buffer(), 16, 16);
        return List.of(stream, pinned, registered, again, range);
      }
    };

    abstract List<AutoCloseable> make(Device device, Gate gate);

    private static PreparedLaunch increment(CudaModule module, DeviceBuffer buffer) {
      return module.kernel("increment").prepare(LaunchConfig.of(1, 1), KernelArg.readWrite(buffer));
    }
  }

  /** Keeps work in flight, or not. */
  private static final class Gate implements AutoCloseable {
    private final boolean closed;
    private final PinnedBuffer flag;

    Gate(Device device, boolean closed) {
      this.closed = closed;
      this.flag = device.allocatePinned("flag", 4);
      flag.segment().set(JAVA_INT, 0, 0);
    }

    void hold(Stream stream) {
      if (closed) {
        stream.waitValue32(flag, 0, 1, WaitCondition.EQUAL);
      }
    }

    void open() {
      flag.segment().set(JAVA_INT, 0, 1);
    }

    @Override
    public void close() {
      open();
      flag.close();
    }
  }

  private static List<List<Integer>> permutations(int n) {
    if (n == 0) {
      return List.of(List.of());
    }
    List<List<Integer>> all = new ArrayList<>();
    for (List<Integer> shorter : permutations(n - 1)) {
      for (int at = 0; at <= shorter.size(); at++) {
        List<Integer> longer = new ArrayList<>(shorter);
        longer.add(at, n - 1);
        all.add(longer);
      }
    }
    return all;
  }

  @Test
  void thereAreAsManyOrdersAsThereShouldBe() {
    assertThat(permutations(5)).hasSize(120).doesNotHaveDuplicates();
  }

  private void closeAll(Objects objects, boolean inFlight) throws Exception {
    for (List<Integer> order : permutations(5)) {
      Map<ResourceKind, Integer> before = LiveResources.snapshot();
      Device device = Device.open(0, Diagnostics.standard().withListener(listener));
      Gate gate = new Gate(device, inFlight);
      List<AutoCloseable> made = objects.make(device, gate);
      // The device goes in the middle: before some of its children and after others.
      for (int i = 0; i < order.size(); i++) {
        if (i == 2) {
          device.close();
        }
        made.get(order.get(i)).close();
      }
      gate.close();
      Eventually.isTrue(
          "%s in order %s: live %s back to %s"
              .formatted(objects, order, LiveResources.snapshot(), before),
          () -> LiveResources.snapshot().equals(before));
      assertThat(listener.failures).as("order %s", order).isEmpty();
      assertThat(listener.leaks).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource
  void idleObjectsCloseInEveryOrder(Objects objects) throws Exception {
    closeAll(objects, false);
  }

  @ParameterizedTest
  @EnumSource
  void objectsInUseCloseInEveryOrder(Objects objects) throws Exception {
    closeAll(objects, true);
  }

  @ParameterizedTest
  @EnumSource
  void severalThreadsMayCloseAtOnce(Objects objects) throws Exception {
    int threads = 3;
    try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
      for (int round = 0; round < 40; round++) {
        Map<ResourceKind, Integer> before = LiveResources.snapshot();
        Device device = Device.open(0, Diagnostics.standard().withListener(listener));
        Gate gate = new Gate(device, round % 2 == 0);
        List<AutoCloseable> made = new ArrayList<>(objects.make(device, gate));
        made.add(device);
        CyclicBarrier start = new CyclicBarrier(threads + 1);
        List<Future<?>> closers = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
          List<AutoCloseable> order = new ArrayList<>(made);
          Collections.rotate(order, 2 * t);
          closers.add(
              executor.submit(() -> {
                start.await();
                for (AutoCloseable object : order) {
                  object.close();
                }
                return null;
              }));
        }
        start.await();
        gate.close();
        for (Future<?> closer : closers) {
          closer.get();
        }
        Eventually.isTrue(
            "live " + LiveResources.snapshot() + " back to " + before,
            () -> LiveResources.snapshot().equals(before));
        assertThat(listener.failures).isEmpty();
      }
    }
  }
}
