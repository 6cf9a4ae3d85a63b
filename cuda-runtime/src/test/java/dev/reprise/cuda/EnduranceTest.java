package dev.reprise.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cuda.diagnostics.Diagnostics;
import dev.reprise.cuda.diagnostics.ResourceKind;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Much of the same, and everything at once. */
final class EnduranceTest extends GpuTest {

  private static long usedBytes(Device of) {
    MemoryInfo info = of.memoryInfo();
    return info.totalBytes() - info.freeBytes();
  }

  private void cycle(int number) {
    try (Device own = Device.open(0, Diagnostics.standard().withListener(listener));
        CudaModule code = own.loadModule("code", COUNTER_PTX);
        Stream queue = own.createStream("queue");
        DeviceBuffer counter = own.allocate("counter", 4)) {
      queue.fill32(counter, 0, 1, number);
      PreparedLaunch increment =
          code.kernel("increment").prepare(LaunchConfig.of(1, 1), KernelArg.readWrite(counter));
      try (Graph graph = queue.capture(capture -> increment.launch(queue));
          GraphExec exec = graph.instantiate()) {
        exec.replay(queue);
        exec.replay(queue);
      }
      int[] value = new int[1];
      queue.read(counter, 0, value);
      assertThat(value[0]).isEqualTo(number + 2);
    }
  }

  /** One small kernel, so that the compiler is not what is tested. */
  private static final String COUNTER_PTX =
      """
      .version 7.0
      .target sm_75
      .address_size 64
      .visible .entry increment(.param .u64 counter) {
        .reg .b32 %r<3>;
        .reg .b64 %rd<3>;
        ld.param.u64 %rd1, [counter];
        ld.global.u32 %r1, [%rd1];
        add.s32 %r2, %r1, 1;
        st.global.u32 [%rd1], %r2;
        ret;
      }
      """;

  @Test
  void aThousandCyclesLeaveNothingBehind() {
    Map<ResourceKind, Integer> live = LiveResources.snapshot();
    cycle(0);
    // What is still being released would count as there at the start.
    Eventually.isTrue("the first is released", () -> LiveResources.snapshot().equals(live));
    long used = usedBytes(device);
    int threads = ManagementFactory.getThreadMXBean().getThreadCount();
    for (int i = 0; i < 1000; i++) {
      cycle(i);
    }
    Eventually.isTrue(
        "live " + LiveResources.snapshot() + " back to " + live,
        () -> LiveResources.snapshot().equals(live));
    Eventually.isTrue("device memory flat", () -> usedBytes(device) == used);
    Eventually.isTrue(
        "threads flat, from " + threads,
        () -> ManagementFactory.getThreadMXBean().getThreadCount() <= threads);
  }

  /** As many permits end the thread that collects. */
  private static final int STOP = 1000;

  /** Makes objects that a capture allows, which nobody closes. */
  @SuppressWarnings("CheckReturnValue") // the point is to lose them
  private void litter() {
    device.createEvent("litter");
    device.createGraph("litter").addEmpty();
    device.createStream("litter");
  }

  @SuppressWarnings("CheckReturnValue") // the point is to lose them
  private void litterMore(DeviceBuffer counter) {
    device.allocate("litter", 64);
    device.allocatePinned("litter", 64);
    stream.capture(capture -> increment(counter).launch(stream)).instantiate();
  }

  /** Does what a capture of another thread allows, until told to stop. */
  private void workBesideCaptures(AtomicBoolean stop) {
    try (Stream side = device.createStream("side");
        Event event = device.createEvent("event")) {
      while (!stop.get()) {
        try (DeviceBuffer buffer = device.allocate("buffer", 400)) {
          side.fill32(buffer, 0, 100, 3);
          side.record(event);
          while (!event.isComplete()) {
            Thread.onSpinWait();
          }
          int[] values = new int[100];
          side.read(buffer, 0, MemorySegment.ofArray(values));
          assertThat(values).containsOnly(3);
        }
      }
    }
  }

  /** Collects garbage on a thread of its own, once for each permit. */
  private static void collect(Semaphore wanted, Semaphore done) {
    while (true) {
      wanted.acquireUninterruptibly();
      if (wanted.tryAcquire(STOP)) {
        return;
      }
      System.gc();
      done.release();
    }
  }

  @Test
  void aStormOfCollectionsBreaksNoCapture() throws Exception {
    DeviceBuffer counter = ints("counter", 0);
    AtomicBoolean stop = new AtomicBoolean();
    Semaphore wanted = new Semaphore(0);
    Semaphore collected = new Semaphore(0);
    int captures = 500;
    try (ExecutorService executor = Executors.newFixedThreadPool(2)) {
      Future<?> storm = executor.submit(() -> collect(wanted, collected));
      Future<?> work = executor.submit(() -> workBesideCaptures(stop));
      try {
        PreparedLaunch increment = increment(counter);
        for (int i = 0; i < captures; i++) {
          boolean collectInside = i % 10 == 0;
          litterMore(counter);
          try (Graph graph =
                  stream.capture(capture -> {
                    increment.launch(stream);
                    litter();
                    if (collectInside) {
                      // A whole collection, with what it finds, in the middle of the capture.
                      wanted.release();
                      collected.acquireUninterruptibly();
                    }
                    increment.launch(stream);
                  });
              GraphExec exec = graph.instantiate()) {
            assertThat(graph.nodeCount()).isEqualTo(2);
            exec.replay(stream);
          }
        }
      } finally {
        stop.set(true);
        wanted.release(1 + STOP);
      }
      storm.get();
      work.get();
    }
    assertThat(read(counter)).containsExactly(2 * captures);
    counter.close();
    Eventually.isTrue(
        "garbage released",
        () -> {
          System.gc();
          return live(ResourceKind.EVENT) == 0
              && live(ResourceKind.GRAPH) == 0
              && live(ResourceKind.GRAPH_EXEC) == 0
              && live(ResourceKind.DEVICE_BUFFER) == 0
              && live(ResourceKind.PINNED_BUFFER) == 0
              && live(ResourceKind.STREAM) == 1;
        });
  }

  @Test
  void aThousandVirtualThreadsLaunchOnTheirOwnStreams() throws Exception {
    List<Future<int[]>> results = new ArrayList<>();
    try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 1000; i++) {
        int id = i;
        results.add(executor.submit(() -> fillsOf(id)));
      }
      for (int i = 0; i < results.size(); i++) {
        assertThat(results.get(i).get()).as("thread %d", i).containsOnly(i + 7);
      }
    }
  }

  private int[] fillsOf(int id) {
    try (Stream own = device.createStream("own-" + id);
        DeviceBuffer buffer = device.allocate("buffer-" + id, 64)) {
      PreparedLaunch fill = fill(buffer, id, 16);
      fill.launch(own);
      Thread.yield();
      fill.setI32(1, id + 7);
      fill.launch(own);
      int[] values = new int[16];
      own.read(buffer, 0, values);
      return values;
    }
  }
}
