package dev.reprise.softgpu.driver;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
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

  @Test
  void eachContextHasAHeapOfItsOwnThatGoesWithIt() {
    MemorySegment free = arena().allocate(8);
    ok(cuda_h.cuMemGetInfo_v2(free, arena().allocate(8)));
    long before = free.get(JAVA_LONG, 0);
    MemorySegment own = out(slot -> cuda_h.cuCtxCreate_v4(slot, MemorySegment.NULL, 0, 0));
    ok(cuda_h.cuCtxSetLimit(2, 1024));
    MemorySegment keep = kernel(load(KEEP), "keep");
    long kept = ints(0, 0);
    launch(keep, 1, 1, stream(), kept, 1000);
    ok(cuda_h.cuCtxSynchronize());
    assertThat(read(kept, 2)).as("an address").isNotEqualTo(new int[2]);
    launch(keep, 1, 1, stream(), kept, 1000);
    ok(cuda_h.cuCtxSynchronize());
    assertThat(read(kept, 2)).as("the second does not fit").containsExactly(0, 0);
    ok(cuda_h.cuCtxSetCurrent(context()));
    MemorySegment other = kernel(load(KEEP), "keep");
    long second = ints(0, 0);
    launch(other, 1, 1, stream(), second, 1000);
    ok(cuda_h.cuCtxSynchronize());
    assertThat(read(second, 2)).as("an address").isNotEqualTo(new int[2]);
    ok(cuda_h.cuCtxDestroy_v2(own));
    ok(cuda_h.cuDevicePrimaryCtxReset_v2(0));
    ok(cuda_h.cuCtxSetCurrent(out(slot -> cuda_h.cuDevicePrimaryCtxRetain(slot, 0))));
    ok(cuda_h.cuMemGetInfo_v2(free, arena().allocate(8)));
    assertThat(free.get(JAVA_LONG, 0)).as("nothing is lost").isEqualTo(before);
  }

  @Test
  void theLimitOfTheHeapIsSetBeforeItsFirstUse() {
    ok(cuda_h.cuCtxSetLimit(2, 4096));
    ok(cuda_h.cuCtxSetLimit(2, 8192));
    launch(kernel(load(KEEP), "keep"), 1, 1, stream(), device(8), 16);
    expect(Result.INVALID_VALUE, cuda_h.cuCtxSetLimit(2, 4096));
    assertThat(outLong(slot -> cuda_h.cuCtxGetLimit(slot, 2))).isEqualTo(8192);
    ok(cuda_h.cuCtxSetLimit(1, 4096));
  }

  @Test
  void recursionHasTheStackOfTheContext() {
    MemorySegment deep = kernel(load(DEEP), "deep");
    ok(cuda_h.cuCtxSetLimit(0, 64 * 32));
    launch(deep, 1, 1, stream(), device(4), 20);
    ok(cuda_h.cuCtxSynchronize());
    ok(cuda_h.cuCtxSetLimit(0, 64 * 200));
    launch(deep, 1, 1, stream(), device(4), 180);
    ok(cuda_h.cuCtxSynchronize());
    ok(cuda_h.cuCtxSetLimit(0, 64 * 32));
    MemorySegment stream = stream();
    launch(deep, 1, 1, stream, device(4), 180);
    expect(Result.HARDWARE_STACK_ERROR, cuda_h.cuStreamSynchronize(stream));
  }

  @Test
  void aStackHasALargestSize() {
    ok(cuda_h.cuCtxSetLimit(0, 1L << 40));
    assertThat(outLong(slot -> cuda_h.cuCtxGetLimit(slot, 0))).isEqualTo(512 << 10);
  }

  private MemorySegment load(String ptx) {
    MemorySegment image = arena().allocateFrom(ptx);
    return out(module -> cuda_h.cuModuleLoadData(module, image));
  }

  /** Allocates so many bytes and writes their address. */
  private static final String KEEP =
      """
      .version 8.0
      .target sm_75
      .address_size 64
      .extern .func (.param .b64 res) malloc(.param .b64 size);
      .visible .entry keep(.param .u64 out, .param .u32 bytes) {
        .reg .b64 %d<4>; .reg .b32 %r1;
        .param .b64 size; .param .b64 got;
        ld.param.u32 %r1, [bytes]; cvt.u64.u32 %d1, %r1; st.param.b64 [size], %d1;
        call.uni (got), malloc, (size);
        ld.param.b64 %d2, [got]; ld.param.u64 %d3, [out]; st.global.u64 [%d3], %d2;
        ret;
      }
      """;

  /** Calls itself so many times, with 32 bytes of local memory each time. */
  private static final String DEEP =
      """
      .version 8.0
      .target sm_75
      .address_size 64
      .func (.param .b32 res) sum(.param .b32 n)
      {
        .local .align 16 .b8 room[32]; .reg .b32 %r<4>; .reg .pred %p;
        .param .b32 arg; .param .b32 got;
        ld.param.b32 %r1, [n]; st.local.u32 [room], %r1;
        setp.eq.u32 %p, %r1, 0; mov.u32 %r3, 0; @%p bra DONE;
        sub.u32 %r2, %r1, 1; st.param.b32 [arg], %r2;
        call.uni (got), sum, (arg);
        ld.param.b32 %r3, [got]; ld.local.u32 %r1, [room]; add.u32 %r3, %r3, %r1;
        DONE: st.param.b32 [res], %r3; ret;
      }
      .visible .entry deep(.param .u64 out, .param .u32 n) {
        .reg .b64 %d1; .reg .b32 %r<3>; .param .b32 arg; .param .b32 got;
        ld.param.u32 %r1, [n]; st.param.b32 [arg], %r1;
        call.uni (got), sum, (arg);
        ld.param.b32 %r2, [got]; ld.param.u64 %d1, [out]; st.global.u32 [%d1], %r2;
        ret;
      }
      """;
}
