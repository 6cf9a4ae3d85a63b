package dev.reprise.softgpu.driver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.driver.support.Result;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** What kernels ask of the device: printing, memory, assertions, a grid whose blocks meet. */
class DeviceFunctionTest extends DriverTest {
  private MemorySegment module(String name) {
    MemorySegment image = arena().allocateFrom(text("/dev/reprise/softgpu/engine/" + name));
    return out(module -> cuda_h.cuModuleLoadData(module, image));
  }

  private static final MemorySegment NONE = MemorySegment.NULL;

  @Test
  void printedTextAppearsWhenTheHostSynchronises() {
    MemorySegment kernel = kernel(module("language_75.ptx"), "print");
    MemorySegment stream = stream();
    PrintStream before = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
    try {
      MemorySegment parameters = parameters(2, Float.floatToRawIntBits(1.5f));
      Gate gate = hold(stream);
      ok(cuda_h.cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, stream, parameters, NONE));
      assertThat(printed.size()).isZero();
      gate.open();
      synchronize(stream);
    } finally {
      System.setOut(before);
    }
    assertThat(printed.toString(StandardCharsets.UTF_8))
        .isEqualTo(
            "block 0 thread  0:  0.00 even 0 a% 4294967296\n"
                + "block 0 thread  1:  1.50 odd 0x10 b% 8589934592\n");
  }

  @Test
  void theHeapOfKernelsHasTheLimitOfTheContext() {
    MemorySegment kernel = kernel(module("language_75.ptx"), "allocate");
    MemorySegment stream = stream();
    long out = device(8);
    ok(cuda_h.cuCtxSetLimit(2, 300));
    launch(kernel, 1, 2, stream, out, 256);
    synchronize(stream);
    assertThat(read(out, 2)).containsExactly(2016, -1);
  }

  @Test
  void aFailedAssertionPoisonsTheContext() {
    MemorySegment kernel = kernel(module("language_75.ptx"), "check");
    MemorySegment stream = stream();
    long out = device(256);
    launch(kernel, 1, 64, stream, out, 10);
    expect(Result.ASSERT, cuda_h.cuStreamSynchronize(stream));
  }

  @Test
  void theBlocksOfACooperativeLaunchMeet() {
    MemorySegment module = module("cooperative_75.ptx");
    MemorySegment rounds = kernel(module, "rounds");
    MemorySegment stream = stream();
    int[] values = new int[128];
    for (int k = 0; k < values.length; k++) {
      values[k] = k;
    }
    long buffer = ints(values);
    long next = device(512);
    ok(
        cuda_h.cuLaunchCooperativeKernel(
            rounds, 4, 1, 1, 32, 1, 1, 0, stream, parameters(buffer, next)));
    synchronize(stream);
    for (int round = 0; round < 3; round++) {
      int[] old = values.clone();
      for (int t = 0; t < 128; t++) {
        values[t] = old[(t + 32) % 128] * 3 + old[(t + 1) % 128];
      }
    }
    assertThat(read(buffer, 128)).isEqualTo(values);
    long valid = ints(7);
    launch(kernel(module, "valid"), 1, 1, stream, valid);
    synchronize(stream);
    assertThat(read(valid, 1)).containsExactly(0);
  }
}
