package dev.reprise.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cuda.diagnostics.ResourceKind;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class CloseOrderTest extends GpuTest {

  private List<AutoCloseable> everything() {
    Device own = Device.open(0);
    Stream side = own.createStream("side");
    CudaModule code = own.loadModule("code", ptx());
    DeviceBuffer memory = own.allocate("memory", 16);
    PinnedBuffer pinned = own.allocatePinned("pinned", 16);
    Event event = own.createEvent("event");
    PreparedLaunch launch =
        code.kernel("fill")
            .prepare(
                LaunchConfig.of(1, 4), KernelArg.write(memory), KernelArg.i32(3), KernelArg.i32(4));
    Graph graph =
        side.capture(capture -> {
          launch.launch(side);
          side.copyToHost(memory, 0, pinned, 0, 16);
        });
    GraphExec exec = graph.instantiate();
    exec.replay(side);
    side.record(event);
    return new ArrayList<>(List.of(own, side, code, memory, pinned, event, graph, exec));
  }

  @Test
  void everyOrderReleasesEverything() throws Exception {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    int base = LiveResources.count(ResourceKind.DEVICE);
    for (int round = 0; round < 60; round++) {
      List<AutoCloseable> objects = everything();
      Collections.shuffle(objects, random);
      for (AutoCloseable object : objects) {
        object.close();
      }
      Eventually.isTrue(
          "device released, seed " + seed + ", order " + objects,
          () -> LiveResources.count(ResourceKind.DEVICE) == base);
    }
  }

  @Test
  void aClosedDeviceLivesUntilItsLastChildIsClosed() {
    Device own = Device.open(0);
    int devices = live(ResourceKind.DEVICE);
    DeviceBuffer memory = own.allocate("memory", 16);
    own.close();
    assertThat(own.isClosed()).isTrue();
    assertThat(live(ResourceKind.DEVICE)).isEqualTo(devices);

    fill(memory, 5, 4).launch(stream);
    assertThat(read(memory)).containsExactly(5, 5, 5, 5);

    memory.close();
    Eventually.isTrue("released", () -> live(ResourceKind.DEVICE) == devices - 1);
  }

  @Test
  void closingTwiceIsClosingOnce() {
    DeviceBuffer memory = device.allocate("memory", 16);
    PinnedBuffer pinned = device.allocatePinned("pinned", 16);
    Event event = device.createEvent();
    for (int i = 0; i < 2; i++) {
      memory.close();
      pinned.close();
      event.close();
    }
    assertThat(live(ResourceKind.DEVICE_BUFFER)).isZero();
    assertThat(live(ResourceKind.EVENT)).isZero();
    Eventually.isTrue("released", () -> live(ResourceKind.PINNED_BUFFER) == 0);
  }

  @Test
  void manyThreadsMayCloseTheSameObject() throws InterruptedException {
    for (int round = 0; round < 50; round++) {
      DeviceBuffer memory = device.allocate("memory", 16);
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        threads.add(Thread.ofVirtual().start(memory::close));
      }
      for (Thread thread : threads) {
        thread.join();
      }
    }
    Eventually.isTrue("released", () -> live(ResourceKind.DEVICE_BUFFER) == 0);
  }
}
