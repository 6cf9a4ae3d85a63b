package dev.reprise.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.cuda.diagnostics.Diagnostics;
import dev.reprise.cuda.diagnostics.ResourceKind;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two devices: copies between them, and kernels of one that use memory of the other. */
final class PeerTest extends GpuTest {

  private Device peer;
  private Stream peerStream;

  @SuppressWarnings("NullAway.Init") // set before each test
  PeerTest() {}

  @BeforeEach
  void openPeer() {
    peer = Device.open(1, Diagnostics.standard().withListener(listener));
    peerStream = peer.createStream("peer");
  }

  @AfterEach
  void closePeer() {
    peerStream.close();
    peer.close();
  }

  private DeviceBuffer onPeer(String label, int... values) {
    DeviceBuffer buffer = peer.allocate(label, values.length * 4L);
    peerStream.write(values, buffer, 0);
    return buffer;
  }

  private int[] readPeer(DeviceBuffer buffer) {
    int[] values = new int[Math.toIntExact(buffer.size() / 4)];
    peerStream.read(buffer, 0, values);
    return values;
  }

  @Test
  void aCopyGoesEitherWayOnAStreamOfEitherDevice() {
    try (DeviceBuffer here = ints("here", 1, 2, 3, 4);
        DeviceBuffer there = onPeer("there", 0, 0, 0, 0)) {
      stream.copyPeer(here, 4, there, 0, 8);
      stream.synchronize();
      assertThat(readPeer(there)).containsExactly(2, 3, 0, 0);
      peerStream.copyPeer(here, 0, there, 8, 8);
      peerStream.synchronize();
      assertThat(readPeer(there)).containsExactly(2, 3, 1, 2);
      stream.copyPeer(there, 0, here, 0, 16);
      assertThat(read(here)).containsExactly(2, 3, 1, 2);
    }
  }

  @Test
  void boxesAreCopied() {
    try (DeviceBuffer here = ints("here", 1, 2, 3, 4, 5, 6, 7, 8);
        DeviceBuffer there = onPeer("there", 0, 0, 0, 0, 0, 0, 0, 0)) {
      stream.copyPeer3D(PitchedMemory.of(here, 0, 8, 2), PitchedMemory.of(there, 4, 8, 2), 4, 2, 2);
      stream.synchronize();
      assertThat(readPeer(there)).containsExactly(0, 1, 0, 3, 0, 5, 0, 7);
    }
  }

  @Test
  void copiesThatCannotBeAreRefused() {
    try (DeviceBuffer here = ints("here", 1, 2);
        DeviceBuffer a = onPeer("a", 0, 0);
        DeviceBuffer b = onPeer("b", 0, 0);
        PinnedBuffer pinned = device.allocatePinned("pinned", 8)) {
      assertThatThrownBy(() -> stream.copyPeer(a, 0, b, 0, 8))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("neither 'a' of device 1 nor 'b' of device 1 is there");
      assertThatThrownBy(() -> stream.copyPeer(here, 4, a, 0, 8))
          .isInstanceOf(IndexOutOfBoundsException.class)
          .hasMessageContaining("'here' of 8 bytes");
      assertThatThrownBy(() -> stream.copyPeer(here, 0, here, 4, 4 + 4 - 2))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> stream.copyPeer(here, 0, here, 2, 4))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("overlap");
      assertThatThrownBy(() ->
              stream.copyPeer3D(PitchedMemory.of(pinned, 0, 8), PitchedMemory.of(a, 0, 8), 4, 1, 1))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("'pinned' is on the host");
      // What is not meant for peers goes on refusing them.
      assertThatThrownBy(() -> stream.copy(here, 0, a, 0, 8))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("belongs to device 1 and cannot be used on device 0");
    }
  }

  @Test
  void memoryOfTheOtherDeviceIsKeptUntilTheCopyIsDone() {
    DeviceBuffer there = onPeer("there", 5, 6);
    try (DeviceBuffer here = ints("here", 0, 0);
        Gate gate = new Gate(stream)) {
      stream.copyPeer(there, 0, here, 0, 8);
      there.close();
      peer.synchronize();
      assertThat(live(ResourceKind.PEER_LEASE)).isEqualTo(1);
      assertThat(live(ResourceKind.DEVICE_BUFFER)).isEqualTo(2);
      assertThatThrownBy(() -> stream.copyPeer(there, 0, here, 0, 8))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("'there' is closed");
      gate.letGoAndWait(stream);
      assertThat(read(here)).containsExactly(5, 6);
      Eventually.isTrue("freed", () -> live(ResourceKind.DEVICE_BUFFER) == 1);
      assertThat(live(ResourceKind.PEER_LEASE)).isZero();
    }
  }

  @Test
  void aGraphKeepsMemoryOfTheOtherDevice() {
    DeviceBuffer there = onPeer("there", 5, 6);
    try (DeviceBuffer here = ints("here", 0, 0)) {
      Graph graph = stream.capture(capture -> stream.copyPeer(there, 0, here, 0, 8));
      GraphExec exec = graph.instantiate();
      graph.close();
      exec.replay(stream);
      assertThat(read(here)).containsExactly(5, 6);
      there.close();
      assertThatThrownBy(() -> exec.replay(stream))
          .isInstanceOf(StaleGraphException.class)
          .hasMessageContaining("there");
      assertThat(live(ResourceKind.DEVICE_BUFFER)).isEqualTo(2);
      exec.close();
      Eventually.isTrue("freed", () -> live(ResourceKind.DEVICE_BUFFER) == 1);
    }
  }

  @Test
  void eventsOrderStreamsOfTwoDevices() {
    try (DeviceBuffer here = ints("here", 0, 0);
        DeviceBuffer there = onPeer("there", 1, 1);
        Event event = device.createEvent("written")) {
      Gate gate = new Gate(stream);
      stream.fill32(here, 0, 2, 7);
      stream.record(event);
      peerStream.waitFor(event);
      peerStream.copyPeer(here, 0, there, 0, 8);
      assertThat(peerStream.isComplete()).isFalse();
      gate.letGoAndWait(stream);
      assertThat(readPeer(there)).containsExactly(7, 7);
      gate.close();
      assertThatThrownBy(() ->
              peerStream.capture(capture -> {
                peerStream.waitFor(event);
              }))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("Event 'written' belongs to device 0");
    }
  }

  @Test
  void aKernelUsesMemoryOfAPeerOnceAccessIsEnabled() {
    try (DeviceBuffer there = onPeer("there", 1, 1)) {
      assertThat(device.canAccessPeer(peer)).isTrue();
      assertThatThrownBy(() -> fill(there, 3, 2))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(
              "'there' belongs to device 1 and cannot be used on device 0 unless"
                  + " Device.enablePeerAccess allows it");
      PeerAccess access = device.enablePeerAccess(peer);
      PreparedLaunch launch = fill(there, 3, 2);
      launch.launch(stream);
      stream.synchronize();
      assertThat(readPeer(there)).containsExactly(3, 3);
      try (DeviceBuffer later = onPeer("later", 1, 1)) {
        launch.setBuffer(0, later, 0);
        launch.launch(stream);
        stream.synchronize();
        assertThat(readPeer(later)).containsExactly(3, 3);
      }
      PreparedLaunch prepared = fill(there, 4, 2);
      access.close();
      assertThatThrownBy(() -> prepared.launch(stream))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("PeerAccess 'device-0 to device-1' is closed");
      Eventually.isTrue("ended", () -> live(ResourceKind.PEER_ACCESS) == 0);
    }
  }

  @Test
  void accessEndsWhenNothingUsesItAnyMore() {
    PeerAccess access = device.enablePeerAccess(peer);
    DeviceBuffer there = onPeer("there", 1, 1);
    try (Gate gate = new Gate(stream)) {
      fill(there, 3, 2).launch(stream);
      access.close();
      there.close();
      peer.synchronize();
      assertThat(live(ResourceKind.PEER_ACCESS)).isEqualTo(1);
      assertThat(live(ResourceKind.DEVICE_BUFFER)).isEqualTo(1);
      gate.letGoAndWait(stream);
    }
    Eventually.isTrue("ended", () -> live(ResourceKind.PEER_ACCESS) == 0);
    Eventually.isTrue("freed", () -> live(ResourceKind.DEVICE_BUFFER) == 0);
    assertThat(listener.failures).isEmpty();
    // It can be enabled anew.
    device.enablePeerAccess(peer).close();
  }

  @Test
  void aGraphKeepsTheAccessOfItsKernels() {
    DeviceBuffer there = onPeer("there", 1, 1);
    PeerAccess access = device.enablePeerAccess(peer);
    PreparedLaunch launch = fill(there, 6, 2);
    Graph graph = stream.capture(capture -> launch.launch(stream));
    access.close();
    GraphExec exec = graph.instantiate();
    graph.close();
    exec.replay(stream);
    stream.synchronize();
    assertThat(readPeer(there)).containsExactly(6, 6);
    assertThat(live(ResourceKind.PEER_ACCESS)).isEqualTo(1);
    exec.close();
    Eventually.isTrue("ended", () -> live(ResourceKind.PEER_ACCESS) == 0);
    there.close();
  }

  @Test
  void whatTheDriverRefusesHasItsCode() {
    try (Device same = Device.open(0)) {
      assertThatThrownBy(() -> device.enablePeerAccess(same))
          .isInstanceOfSatisfying(
              CudaException.class,
              e -> {
                assertThat(e.function()).isEqualTo("cuCtxEnablePeerAccess");
                assertThat(e.name()).isEqualTo("CUDA_ERROR_INVALID_CONTEXT");
              });
    }
    try (PeerAccess access = device.enablePeerAccess(peer)) {
      assertThat(access.peer()).isSameAs(peer);
      assertThatThrownBy(() -> device.enablePeerAccess(peer))
          .isInstanceOfSatisfying(
              CudaException.class,
              e -> assertThat(e.name()).isEqualTo("CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED"));
    }
    assertThat(live(ResourceKind.PEER_ACCESS)).isZero();
  }

  @Test
  void someMemoryStaysWithItsDevice() {
    try (PeerAccess access = device.enablePeerAccess(peer);
        VirtualRange range = peer.reserve("range", 64);
        DeviceBuffer ordered = peerStream.allocate("ordered", 64)) {
      range.grow(64);
      assertThat(access.isClosed()).isFalse();
      for (DeviceBuffer each : new DeviceBuffer[] {range.buffer(), ordered}) {
        assertThatThrownBy(() -> fill(each, 1, 2))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("other devices can use what Device.allocate gives");
      }
    }
  }

  @Test
  void aLibraryIsUsedOnBothDevices() {
    try (CudaLibrary library = device.loadLibrary("library", ptx());
        DeviceBuffer here = ints("here", 0, 0);
        DeviceBuffer there = onPeer("there", 0, 0)) {
      for (DeviceBuffer each : new DeviceBuffer[] {here, there}) {
        library
            .kernel("fill")
            .on(each == here ? device : peer)
            .prepare(
                LaunchConfig.of(1, 2), KernelArg.write(each), KernelArg.i32(8), KernelArg.i32(2))
            .launch(each == here ? stream : peerStream);
      }
      assertThat(read(here)).containsExactly(8, 8);
      assertThat(readPeer(there)).containsExactly(8, 8);
    }
    Eventually.isTrue("unloaded", () -> live(ResourceKind.LIBRARY) == 0);
  }

  @Test
  void pinnedMemoryIsCopiedOnItsDeviceOnly() {
    try (PinnedBuffer pinned = peer.allocatePinned("pinned", 8);
        DeviceBuffer here = ints("here", 0, 0)) {
      pinned.segment().set(JAVA_INT, 0, 1);
      assertThatThrownBy(() -> stream.copyToDevice(pinned, 0, here, 0, 8))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("belongs to device 1");
    }
  }
}
