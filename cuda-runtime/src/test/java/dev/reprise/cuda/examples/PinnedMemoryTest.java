package dev.reprise.cuda.examples;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cuda.CudaModule;
import dev.reprise.cuda.Device;
import dev.reprise.cuda.DeviceBuffer;
import dev.reprise.cuda.EverythingReleased;
import dev.reprise.cuda.KernelArg;
import dev.reprise.cuda.LaunchConfig;
import dev.reprise.cuda.PinnedBuffer;
import dev.reprise.cuda.PreparedLaunch;
import dev.reprise.cuda.RegisteredMemory;
import dev.reprise.cuda.Stream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Page-locked memory of the host: copies that do not wait, and kernels that use it in place. */
@ExtendWith(EverythingReleased.class)
final class PinnedMemoryTest {

  @Test
  void hostMemoryIsCopiedAndUsedInPlace() {
    // Registered memory must outlive its registration, which ends some time after it is closed.
    MemorySegment own = Arena.ofAuto().allocate(4096, 4096);
    try (Device device = Device.open(0);
        Stream stream = device.createStream("main");
        CudaModule module = device.loadModule("kernels", Ptx.kernels());
        DeviceBuffer counter = device.allocate("counter", 4);
        PinnedBuffer pinned = device.allocatePinned("pinned", 4);
        RegisteredMemory registered = device.register("registered", own)) {
      pinned.segment().set(JAVA_INT, 0, 41);
      stream.copyToDevice(pinned, 0, counter, 0, 4);
      increment(module, KernelArg.readWrite(counter)).launch(stream);
      stream.copyToHost(counter, 0, registered, 0, 4);
      // By way of the bus, on the memory of the host itself.
      increment(module, KernelArg.readWrite(pinned)).launch(stream);
      // Nothing above waits; the host may look only now.
      stream.synchronize();
      assertThat(registered.segment().get(JAVA_INT, 0)).isEqualTo(42);
      assertThat(pinned.segment().get(JAVA_INT, 0)).isEqualTo(42);
    }
  }

  private static PreparedLaunch increment(CudaModule module, KernelArg counter) {
    return module.kernel("increment").prepare(LaunchConfig.of(1, 1), counter);
  }
}
