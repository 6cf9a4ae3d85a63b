package dev.reprise.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.cuda.diagnostics.Diagnostics;
import dev.reprise.cuda.diagnostics.ResourceKind;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

final class UseAfterCloseTest extends GpuTest {

  private static void refused(String kindAndLabel, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(kindAndLabel + " is closed");
  }

  @Test
  void aClosedBufferIsRefusedEverywhere() {
    DeviceBuffer open = device.allocate("open", 16);
    DeviceBuffer dead = device.allocate("dead", 16);
    PinnedBuffer pinned = device.allocatePinned("pinned", 16);
    PreparedLaunch launch = fill(dead, 1, 4);
    dead.close();
    String name = "DeviceBuffer 'dead'";
    refused(name, dead::address);
    refused(name, () -> stream.copyToDevice(pinned, 0, dead, 0, 16));
    refused(name, () -> stream.copyToHost(dead, 0, pinned, 0, 16));
    refused(name, () -> stream.copy(dead, 0, open, 0, 16));
    refused(name, () -> stream.copy(open, 0, dead, 0, 16));
    refused(name, () -> stream.fill8(dead, 0, 16, (byte) 1));
    refused(name, () -> stream.fill32(dead, 0, 4, 1));
    refused(name, () -> stream.write(MemorySegment.ofArray(new byte[16]), dead, 0));
    refused(name, () -> stream.read(dead, 0, MemorySegment.ofArray(new byte[16])));
    refused(name, () -> stream.write(MemorySegment.ofArray(new byte[0]), dead, 0));
    refused(name, () -> launch.launch(stream));
    refused(name, () -> fill(dead, 1, 4));
    assertThat(dead.size()).isEqualTo(16);
    assertThat(dead.label()).isEqualTo("dead");
    open.close();
    pinned.close();
  }

  @Test
  void aClosedPinnedBufferIsRefusedAndItsSegmentDead() {
    DeviceBuffer open = device.allocate("open", 16);
    PinnedBuffer dead = device.allocatePinned("dead", 16);
    MemorySegment slice = dead.segment().asSlice(4, 4);
    dead.close();
    refused("PinnedBuffer 'dead'", () -> stream.copyToDevice(dead, 0, open, 0, 16));
    refused("PinnedBuffer 'dead'", () -> stream.copyToHost(open, 0, dead, 0, 16));
    assertThatThrownBy(() -> slice.get(ValueLayout.JAVA_BYTE, 0))
        .isInstanceOf(IllegalStateException.class);
    open.close();
  }

  @Test
  void aClosedStreamIsRefusedEverywhere() {
    DeviceBuffer buffer = device.allocate("buffer", 16);
    Event event = device.createEvent();
    PreparedLaunch launch = fill(buffer, 1, 4);
    Stream dead = device.createStream("dead");
    dead.close();
    String name = "Stream 'dead'";
    refused(name, () -> launch.launch(dead));
    refused(name, () -> dead.record(event));
    refused(name, () -> dead.waitFor(event));
    refused(name, dead::synchronize);
    refused(name, dead::isComplete);
    refused(name, () -> dead.fill8(buffer, 0, 1, (byte) 0));
    refused(name, () -> dead.capture(capture -> {}));
    buffer.close();
    event.close();
  }

  @Test
  void closedEventsModulesGraphsAndDevicesAreRefused() {
    DeviceBuffer buffer = device.allocate("buffer", 16);
    Event event = device.createEvent("dead");
    CudaModule code = device.loadModule("dead", ptx());
    Kernel kernel = code.kernel("fill");
    PreparedLaunch launch =
        kernel.prepare(
            LaunchConfig.of(1, 4), KernelArg.write(buffer), KernelArg.i32(1), KernelArg.i32(4));
    Graph graph = stream.capture("dead", capture -> fill(buffer, 1, 4).launch(stream));
    GraphExec exec = graph.instantiate();
    Device closed = Device.open(0);
    event.close();
    code.close();
    graph.close();
    exec.close();
    closed.close();

    refused("Event 'dead'", () -> stream.record(event));
    refused("Event 'dead'", () -> stream.waitFor(event));
    refused("Event 'dead'", event::synchronize);
    refused("Event 'dead'", event::isComplete);
    refused("CudaModule 'dead'", () -> code.kernel("scale"));
    refused("CudaModule 'dead'", () -> kernel.attribute(KernelAttribute.NUM_REGS));
    refused("CudaModule 'dead'", () -> launch.launch(stream));
    refused("Graph 'dead'", graph::nodeCount);
    refused("Graph 'dead'", graph::instantiate);
    refused("GraphExec 'dead'", () -> exec.replay(stream));
    refused("GraphExec 'dead'", () -> exec.upload(stream));
    refused("Device 'device-0'", () -> closed.allocate("late", 16));
    refused("Device 'device-0'", () -> closed.createStream("late"));
    refused("Device 'device-0'", closed::name);
    buffer.close();
  }

  @Test
  void withCreationSitesTheErrorShowsWhereItWasMadeAndClosed() {
    try (Device traced = Device.open(0, Diagnostics.standard().withCreationSites())) {
      DeviceBuffer dead = traced.allocate("dead", 16);
      dead.close();
      assertThatThrownBy(dead::address)
          .cause()
          .hasMessage("DeviceBuffer 'dead' was created here")
          .satisfies(UseAfterCloseTest::pointsHere);
      assertThatThrownBy(dead::address)
          .satisfies(e -> {
            assertThat(e.getSuppressed()).hasSize(1);
            assertThat(e.getSuppressed()[0])
                .hasMessage("DeviceBuffer 'dead' was closed here")
                .satisfies(UseAfterCloseTest::pointsHere);
          });
    }
  }

  private static void pointsHere(Throwable site) {
    assertThat(site.getStackTrace())
        .extracting(StackTraceElement::getClassName)
        .contains(UseAfterCloseTest.class.getName());
  }

  @Test
  void theTableOfLiveObjectsNamesEveryKind() {
    Map<?, Integer> counts = LiveResources.snapshot();
    assertThat(counts)
        .hasSize(ResourceKind.values().length)
        .allSatisfy((kind, n) -> assertThat(n).isNotNegative());
  }
}
