package dev.reprise.softgpu.driver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.DriverLibrary;
import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** The variants of functions where a null stream, or none, is the calling thread's own. */
class PerThreadCallTest extends DriverTest {

  private static final MemorySegment NONE = MemorySegment.NULL;
  private static final MemorySegment LEGACY = MemorySegment.ofAddress(1);
  private static final MemorySegment OWN = MemorySegment.ofAddress(2);

  private static int call(String variant, FunctionDescriptor descriptor, Object... arguments) {
    try {
      return (int)
          Linker.nativeLinker()
              .downcallHandle(DriverLibrary.current().find(variant).orElseThrow(), descriptor)
              .invokeWithArguments(arguments);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError(variant, e);
    }
  }

  private static int fillOwn(long address, MemorySegment stream) {
    return call(
        "cuMemsetD32Async_ptsz", cuda_h.cuMemsetD32Async$descriptor(), address, 1, 1L, stream);
  }

  @Test
  void aNullStreamIsTheThreadsOwn() {
    long buffer = device(4);
    begin(OWN, RELAXED);
    ok(fillOwn(buffer, NONE));
    assertThat(nodes(end(OWN))).hasSize(1);
  }

  @Test
  void theLegacyStreamKeepsItsHandle() {
    long buffer = device(4);
    begin(OWN, RELAXED);
    expect(Result.STREAM_CAPTURE_IMPLICIT, fillOwn(buffer, LEGACY));
    expectEnd(Result.STREAM_CAPTURE_INVALIDATED, OWN);
  }

  @Test
  void theVariantLeavesOtherCallsOfTheThreadAlone() {
    long buffer = device(4);
    ok(fillOwn(buffer, NONE));
    expect(Result.INVALID_VALUE, fillOwn(buffer + 1, NONE));
    begin(OWN, RELAXED);
    expect(Result.STREAM_CAPTURE_IMPLICIT, cuda_h.cuMemsetD32Async(buffer, 1, 1, NONE));
    expectEnd(Result.STREAM_CAPTURE_INVALIDATED, OWN);
  }

  @Test
  void aCallWithoutAStreamUsesTheThreadsOwn() {
    long buffer = device(4);
    MemorySegment held = blockingStream();
    Gate gate = hold(held);
    // On the legacy stream this would wait for the stream that is held.
    MemorySegment host = arena().allocate(4);
    ok(call("cuMemcpyHtoD_v2_ptds", cuda_h.cuMemcpyHtoD_v2$descriptor(), buffer, host, 4L));
    expect(Result.NOT_READY, cuda_h.cuStreamQuery(held));
    gate.open();
  }
}
