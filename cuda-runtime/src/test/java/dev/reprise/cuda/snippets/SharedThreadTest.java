package dev.reprise.cuda.snippets;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.cuda.CallerContext;
import dev.reprise.cuda.Device;
import dev.reprise.cuda.DeviceBuffer;
import dev.reprise.cuda.EverythingReleased;
import dev.reprise.cuda.Stream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The page of {@link CallerContext}: a thread that other CUDA code uses, too. */
@ExtendWith(EverythingReleased.class)
final class SharedThreadTest {

  @Test
  void theOtherCodeFindsItsContext() {
    int[] scores = new int[16];
    try (Device device = Device.open(0);
        Stream stream = device.createStream("main");
        DeviceBuffer buffer = device.allocate("scores", 64);
        Device ofOthers = Device.open(1)) {
      assertThat(cuda_h.cuCtxSetCurrent(ofOthers.driverHandle())).isZero();
      // @start region="keep"
      CallerContext.keep(() -> {
        stream.fill32(buffer, 0, 16, 7);
        stream.read(buffer, 0, scores);
      });
      // @end
      assertThat(current()).isEqualTo(ofOthers.driverHandle());
    }
    assertThat(scores).containsOnly(7);
  }

  private static MemorySegment current() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(8, 8);
      assertThat(cuda_h.cuCtxGetCurrent(out)).isZero();
      return MemorySegment.ofAddress(out.get(JAVA_LONG, 0));
    }
  }
}
