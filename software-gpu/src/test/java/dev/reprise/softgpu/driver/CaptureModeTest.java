package dev.reprise.softgpu.driver;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Which threads may make potentially unsafe calls, by their mode and the mode of the capture. */
class CaptureModeTest extends DriverTest {

  record Case(int captureMode, int threadMode, boolean sameThread) {
    /** The rules of {@code cuThreadExchangeStreamCaptureMode} in the driver manual. */
    boolean prohibited() {
      return switch (threadMode) {
        case RELAXED -> false;
        case THREAD_LOCAL -> sameThread && captureMode != RELAXED;
        default -> sameThread ? captureMode != RELAXED : captureMode == GLOBAL;
      };
    }
  }

  static List<Case> cases() {
    List<Case> cases = new ArrayList<>();
    for (int captureMode = 0; captureMode < 3; captureMode++) {
      for (int threadMode = 0; threadMode < 3; threadMode++) {
        cases.add(new Case(captureMode, threadMode, true));
        cases.add(new Case(captureMode, threadMode, false));
      }
    }
    return cases;
  }

  @ParameterizedTest
  @MethodSource("cases")
  void allocation(Case c) {
    check(c, () -> cuda_h.cuMemAlloc_v2(arena().allocate(8), 64));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void pinnedAllocation(Case c) {
    check(c, () -> cuda_h.cuMemHostAlloc(arena().allocate(8), 64, 0));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void waitingForAnUninvolvedEvent(Case c) {
    MemorySegment event = event();
    check(c, () -> cuda_h.cuEventSynchronize(event));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void queryingAnUninvolvedEvent(Case c) {
    MemorySegment event = event();
    check(c, () -> cuda_h.cuEventQuery(event));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void waitingForAnUninvolvedStream(Case c) {
    MemorySegment other = stream();
    check(c, () -> cuda_h.cuStreamSynchronize(other));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void synchronousCopy(Case c) {
    long buffer = device(4);
    check(c, () -> cuda_h.cuMemcpyHtoD_v2(buffer, arena().allocate(4), 4));
  }

  private interface Call {
    int call();
  }

  private void check(Case c, Call unsafe) {
    MemorySegment stream = stream();
    begin(stream, c.captureMode());
    Runnable attempt =
        () -> {
          MemorySegment mode = arena().allocateFrom(JAVA_INT, c.threadMode());
          ok(cuda_h.cuThreadExchangeStreamCaptureMode(mode));
          assertThat(mode.get(JAVA_INT, 0)).isEqualTo(GLOBAL);
          expect(
              c.prohibited() ? Result.STREAM_CAPTURE_UNSUPPORTED : Result.SUCCESS, unsafe.call());
        };
    if (c.sameThread()) {
      attempt.run();
    } else {
      onAnotherThread(attempt);
    }
    if (c.prohibited()) {
      expectEnd(Result.STREAM_CAPTURE_INVALIDATED, stream);
    } else {
      end(stream);
    }
  }

  @Test
  void pureQueriesAreAlwaysPermitted() {
    MemorySegment kernel = kernel(probe(), "nothing");
    MemorySegment stream = stream();
    begin(stream, GLOBAL);
    outInt(slot -> cuda_h.cuDeviceGetAttribute(slot, 16, 0));
    outLong(slot -> cuda_h.cuMemGetInfo_v2(slot, arena().allocate(8)));
    outInt(slot -> cuda_h.cuFuncGetAttribute(slot, 0, kernel));
    stream();
    event();
    end(stream);
  }

  @Test
  void aBadModeIsRefused() {
    MemorySegment mode = arena().allocateFrom(JAVA_INT, 3);
    expect(Result.INVALID_VALUE, cuda_h.cuThreadExchangeStreamCaptureMode(mode));
    expect(Result.INVALID_VALUE, cuda_h.cuThreadExchangeStreamCaptureMode(MemorySegment.NULL));
  }
}
