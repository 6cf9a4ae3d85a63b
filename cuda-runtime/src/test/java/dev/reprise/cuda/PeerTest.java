package dev.reprise.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.bindings.cuda.CUmemLocation;
import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.cuda.diagnostics.Diagnostics;
import dev.reprise.cuda.diagnostics.ResourceKind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.ToIntBiFunction;
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
  void memoryOfGraphsAndOfTheHostStaysWithItsDevice() {
    try (PeerAccess access = device.enablePeerAccess(peer);
        Graph graph = peer.createGraph("graph")) {
      assertThat(access.isClosed()).isFalse();
      DeviceBuffer ofGraph = graph.addAllocation("of graph", 64).buffer();
      assertThatThrownBy(() -> fill(ofGraph, 1, 2))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("'of graph' belongs to device 1 and cannot be used on device 0:");
    }
  }

  /** A graph of the peer that leaves memory with two numbers in it. */
  private Graph maker(MemoryAllocNode[] made, List<Device> peers) {
    Graph graph = peer.createGraph("maker");
    made[0] = graph.addAllocation("made", 8, peers);
    graph.addFill(FillOperation.of32(made[0].buffer(), 0, 2, 5), made[0]);
    return graph;
  }

  @Test
  void memoryOfAGraphIsOpenedByItsNode() {
    MemoryAllocNode[] node = new MemoryAllocNode[1];
    Graph graph = maker(node, List.of(device));
    assertThat(node[0].parameters().peers()).containsExactly(0);
    DeviceBuffer made = node[0].buffer();
    PreparedLaunch increment = increment(made);
    assertThatThrownBy(() -> increment.launch(stream))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(
            "'made' is memory of a graph and cannot be used on stream 'main' now");
    try (GraphExec exec = graph.instantiate();
        Event replayed = peer.createEvent("replayed")) {
      exec.replay(peerStream);
      peerStream.record(replayed);
      stream.waitFor(replayed);
      increment.launch(stream);
      stream.synchronize();
      assertThat(readPeer(made)).containsExactly(6, 5);
      peerStream.free(made);
      assertThatThrownBy(() -> increment.launch(stream)).isInstanceOf(IllegalStateException.class);
      peerStream.synchronize();
    }
    graph.close();
  }

  @Test
  void memoryOfAGraphIsKeptUntilTheOtherDeviceIsDone() {
    MemoryAllocNode[] node = new MemoryAllocNode[1];
    Graph graph = maker(node, List.of(device));
    GraphExec exec = graph.instantiate();
    exec.replay(peerStream);
    peerStream.synchronize();
    PreparedLaunch increment = increment(node[0].buffer());
    try (Gate gate = new Gate(stream)) {
      increment.launch(stream);
      exec.close();
      graph.close();
      peer.synchronize();
      assertThat(live(ResourceKind.PEER_LEASE)).isEqualTo(1);
      assertThat(live(ResourceKind.DEVICE_BUFFER)).isEqualTo(1);
      gate.letGoAndWait(stream);
    }
    Eventually.isTrue("freed", () -> live(ResourceKind.DEVICE_BUFFER) == 0);
    assertThatThrownBy(() -> increment.launch(stream)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aGraphOfTheOtherDeviceUsesItWhileItIsAllocated() {
    MemoryAllocNode[] node = new MemoryAllocNode[1];
    Graph graph = maker(node, List.of(device));
    DeviceBuffer made = node[0].buffer();
    try (Graph user = device.createGraph("user");
        GraphExec making = graph.instantiate()) {
      user.addKernel(increment(made));
      try (GraphExec using = user.instantiate()) {
        assertThatThrownBy(() -> using.replay(stream))
            .isInstanceOf(StaleGraphException.class)
            .hasMessageContaining("made");
        making.replay(peerStream);
        peerStream.synchronize();
        using.replay(stream);
        stream.synchronize();
        assertThat(readPeer(made)).containsExactly(6, 5);
        peerStream.free(made);
      }
    }
    graph.close();
  }

  @Test
  void capturedMemoryIsOpenAsItsPoolWasThen() {
    try (MemoryPool pool = peer.createMemoryPool("pool")) {
      for (MemoryPool each : List.of(pool, peer.defaultMemoryPool())) {
        DeviceBuffer[] made = new DeviceBuffer[2];
        try (Graph closed = capture(each, made, 0)) {
          PeerAccess access =
              each == pool ? device.enablePeerAccess(pool) : device.enablePeerAccess(peer);
          Graph open = capture(each, made, 1);
          assertThat(peersOf(closed)).isEmpty();
          assertThat(peersOf(open)).containsExactly(0);
          access.close();
          Eventually.isTrue("ended", () -> live(ResourceKind.PEER_ACCESS) == 0);
          assertThatThrownBy(() -> increment(made[0]))
              .isInstanceOf(IllegalArgumentException.class)
              .hasMessageContaining("'made' belongs to device 1 and cannot be used on device 0:");
          try (open;
              GraphExec exec = open.instantiate()) {
            exec.replay(peerStream);
            peerStream.synchronize();
            increment(made[1]).launch(stream);
            stream.synchronize();
            assertThat(readPeer(made[1])).containsExactly(6, 5);
            peerStream.free(made[1]);
          }
          assertThat(closed.nodeCount()).isEqualTo(2);
        }
      }
    }
  }

  @Test
  void accessToOnePoolSaysNothingAboutWhatIsCapturedFromAnother() {
    DeviceBuffer[] made = new DeviceBuffer[1];
    try (MemoryPool pool = peer.createMemoryPool("pool");
        PeerAccess whole = device.enablePeerAccess(peer);
        Graph graph = capture(pool, made, 0)) {
      assertThat(whole.isClosed()).isFalse();
      assertThat(peersOf(graph)).isEmpty();
      assertThatThrownBy(() -> increment(made[0]))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("it is memory of a graph");
    }
  }

  /** To whom the driver says that the memory of a graph is open. */
  private static List<Integer> peersOf(Graph graph) {
    return graph.nodes().stream()
        .filter(MemoryAllocNode.class::isInstance)
        .flatMap(node -> ((MemoryAllocNode) node).parameters().peers().stream())
        .toList();
  }

  private Graph capture(MemoryPool pool, DeviceBuffer[] made, int index) {
    return peerStream.capture(capture -> {
      made[index] = peerStream.allocate("made", 8, pool);
      peerStream.fill32(made[index], 0, 2, 5);
    });
  }

  @Test
  void devicesThatCannotBePeersOfAGraphAreRefused() {
    Device gone = Device.open(0);
    gone.close();
    try (Graph graph = peer.createGraph("graph")) {
      assertThatThrownBy(() -> graph.addAllocation("made", 8, List.of(peer)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("DeviceBuffer 'made' is of device 1 itself, which can always access it.");
      assertThatThrownBy(() -> graph.addAllocation("made", 8, List.of(gone)))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("Device 'device-0' is closed");
      assertThat(graph.nodeCount()).isZero();
    }
    assertThat(live(ResourceKind.DEVICE_BUFFER)).isZero();
  }

  @Test
  void memoryOfTheDefaultPoolIsOpenedWithTheDevice() {
    DeviceBuffer ordered = peerStream.allocate("ordered", 8);
    peerStream.write(new int[] {1, 2}, ordered, 0);
    assertThatThrownBy(() -> fill(ordered, 3, 2))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageEndingWith("device 0 unless Device.enablePeerAccess allows it.");
    try (PeerAccess access = device.enablePeerAccess(peer);
        Gate gate = new Gate(stream)) {
      fill(ordered, 3, 2).launch(stream);
      // Freed in the order of its stream, but behind the use on the other device.
      ordered.close();
      peer.synchronize();
      assertThat(live(ResourceKind.DEVICE_BUFFER)).isEqualTo(1);
      assertThat(access.isClosed()).isFalse();
      assertThat(accessOfDevice0(peer.defaultMemoryPool())).isEqualTo(3);
      gate.letGoAndWait(stream);
    }
    Eventually.isTrue("freed", () -> live(ResourceKind.DEVICE_BUFFER) == 0);
    Eventually.isTrue("ended", () -> live(ResourceKind.PEER_ACCESS) == 0);
    assertThat(accessOfDevice0(peer.defaultMemoryPool())).isZero();
  }

  @Test
  void aPoolIsOpenedByItself() {
    try (MemoryPool pool = peer.createMemoryPool("pool");
        DeviceBuffer ordered = peerStream.allocate("ordered", 8, pool);
        PeerAccess whole = device.enablePeerAccess(peer)) {
      peerStream.write(new int[] {1, 2}, ordered, 0);
      assertThat(whole.isClosed()).isFalse();
      assertThatThrownBy(() -> fill(ordered, 3, 2))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageEndingWith(
              "device 0 unless Device.enablePeerAccess allows it for MemoryPool 'pool'.");
      assertThat(accessOfDevice0(pool)).isZero();
      PeerAccess access = device.enablePeerAccess(pool);
      assertThat(accessOfDevice0(pool)).isEqualTo(3);
      assertThatThrownBy(() -> device.enablePeerAccess(pool))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage(
              "Access of device 0 to MemoryPool 'pool' was enabled before and has not ended.");
      PreparedLaunch launch = fill(ordered, 3, 2);
      launch.launch(stream);
      stream.synchronize();
      assertThat(readPeer(ordered)).containsExactly(3, 3);
      access.close();
      assertThatThrownBy(() -> launch.launch(stream))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("PeerAccess 'device-0 to pool' is closed");
      Eventually.isTrue("ended", () -> live(ResourceKind.PEER_ACCESS) == 1);
      assertThat(accessOfDevice0(pool)).isZero();
      assertThatThrownBy(() -> fill(ordered, 3, 2)).isInstanceOf(IllegalArgumentException.class);
      device.enablePeerAccess(pool).close();
      assertThatThrownBy(() -> peer.enablePeerAccess(pool))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("MemoryPool 'pool' is of device 1 itself, which can always access it.");
      assertThatThrownBy(() -> device.enablePeerAccess(peer.defaultMemoryPool()))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("is opened by enablePeerAccess of the device");
    }
  }

  @Test
  void aRangeIsOpenedByItselfHoweverItGrows() {
    long page;
    try (VirtualRange range = peer.reserve("range", 1)) {
      page = range.granularity();
    }
    try (VirtualRange two = peer.reserve("two", 2 * page)) {
      PeerAccess access = device.enablePeerAccess(two);
      for (int grown = 0; grown < 2; grown++) {
        two.grow(page);
        module
            .kernel("fill")
            .prepare(
                LaunchConfig.of(1, 2),
                KernelArg.write(two.buffer(), grown * page),
                KernelArg.i32(grown + 5),
                KernelArg.i32(2))
            .launch(stream);
        stream.synchronize();
        int[] values = new int[2];
        peerStream.read(two.buffer(), grown * page, values);
        assertThat(values).containsExactly(grown + 5, grown + 5);
      }
      PreparedLaunch launch = fill(two.buffer(), 1, 2);
      try (Gate gate = new Gate(stream)) {
        launch.launch(stream);
        access.close();
        assertThat(live(ResourceKind.PEER_ACCESS)).isEqualTo(1);
        gate.letGoAndWait(stream);
      }
      Eventually.isTrue("ended", () -> live(ResourceKind.PEER_ACCESS) == 0);
      assertThatThrownBy(() -> fill(two.buffer(), 1, 2))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageEndingWith("allows it for VirtualRange 'two'.");
      two.shrink(0);
      two.grow(page);
    }
  }

  @Test
  void accessThatEndedIsTakenFromMappedMemory() {
    try (VirtualRange range = peer.reserve("range", 1)) {
      range.grow(1);
      assertThat(accessOfDevice0(range)).isZero();
      PeerAccess access = device.enablePeerAccess(range);
      assertThat(accessOfDevice0(range)).isEqualTo(3);
      access.close();
      Eventually.isTrue("ended", () -> live(ResourceKind.PEER_ACCESS) == 0);
      assertThat(accessOfDevice0(range)).isZero();
      range.shrink(0);
      range.grow(1);
      assertThat(accessOfDevice0(range)).isZero();
    }
  }

  /** What the driver says ({@code cuMemGetAccess}). */
  private static long accessOfDevice0(VirtualRange range) {
    return accessOfDevice0(
        (flags, location) -> cuda_h.cuMemGetAccess(flags, location, range.address()));
  }

  /** What the driver says ({@code cuMemPoolGetAccess}). */
  private static long accessOfDevice0(MemoryPool pool) {
    return accessOfDevice0(
        (flags, location) -> cuda_h.cuMemPoolGetAccess(flags, pool.driverHandle(), location));
  }

  private static long accessOfDevice0(ToIntBiFunction<MemorySegment, MemorySegment> call) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment flags = arena.allocate(JAVA_LONG);
      MemorySegment location = CUmemLocation.allocate(arena).fill((byte) 0);
      CUmemLocation.type(location, cuda_h.CU_MEM_LOCATION_TYPE_DEVICE());
      assertThat(call.applyAsInt(flags, location)).isZero();
      return flags.get(JAVA_LONG, 0);
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
