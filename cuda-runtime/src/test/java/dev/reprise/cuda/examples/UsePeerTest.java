package dev.reprise.cuda.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cuda.CudaModule;
import dev.reprise.cuda.Device;
import dev.reprise.cuda.DeviceBuffer;
import dev.reprise.cuda.Event;
import dev.reprise.cuda.EverythingReleased;
import dev.reprise.cuda.KernelArg;
import dev.reprise.cuda.LaunchConfig;
import dev.reprise.cuda.PeerAccess;
import dev.reprise.cuda.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Two devices: a copy between them, and a kernel of one on memory of the other. */
@ExtendWith(EverythingReleased.class)
final class UsePeerTest {

  @Test
  void aKernelReachesMemoryOfAnotherDevice() {
    int[] result = new int[1];
    try (Device here = Device.open(0);
        Device there = Device.open(1);
        Stream stream = here.createStream("here");
        Stream other = there.createStream("there");
        CudaModule module = here.loadModule("kernels", Ptx.kernels());
        DeviceBuffer mine = here.allocate("mine", 4);
        DeviceBuffer theirs = there.allocate("theirs", 4);
        Event done = here.createEvent("done")) {
      stream.fill32(mine, 0, 1, 41);
      stream.copyPeer(mine, 0, theirs, 0, 4);
      assertThat(here.canAccessPeer(there)).isTrue();
      try (PeerAccess access = here.enablePeerAccess(there)) {
        assertThat(access.peer()).isSameAs(there);
        module
            .kernel("increment")
            .prepare(LaunchConfig.of(1, 1), KernelArg.readWrite(theirs))
            .launch(stream);
      }
      stream.record(done);
      other.waitFor(done);
      other.read(theirs, 0, result);
    }
    assertThat(result).containsExactly(42);
  }
}
