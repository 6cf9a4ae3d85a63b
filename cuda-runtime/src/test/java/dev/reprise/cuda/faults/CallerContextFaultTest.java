package dev.reprise.cuda.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.cuda.CallerContext;
import dev.reprise.cuda.CudaException;
import dev.reprise.cuda.Device;
import dev.reprise.softgpu.faults.FaultSession;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Calls of the driver that fail around the body of a {@link CallerContext} scope. */
final class CallerContextFaultTest {

  private static final int ASK = 2;
  private static final int RESTORE = 3;

  private static void assertFailed(Throwable thrown, String function) {
    assertThat(thrown)
        .isInstanceOfSatisfying(
            CudaException.class,
            e -> {
              assertThat(e.function()).isEqualTo(function);
              assertThat(e.code()).isEqualTo(Faults.UNKNOWN);
            });
  }

  /** The first use of a function looks it up; and an earlier test may have left what is gone. */
  @BeforeEach
  void lookUp() {
    Device.count();
    assertThat(cuda_h.cuCtxSetCurrent(MemorySegment.NULL)).isZero();
    CallerContext.keep(() -> {});
  }

  @Test
  void aScopeMakesThreeCalls() {
    try (FaultSession watch = Faults.watch()) {
      CallerContext.keep(() -> {});
      assertThat(watch.calls()).containsExactly("cuInit", "cuCtxGetCurrent", "cuCtxSetCurrent");
    }
  }

  @Test
  void theBodyIsNotRunIfNobodyKnowsWhatToRestore() {
    List<String> ran = new ArrayList<>();
    try (FaultSession faults = Faults.failCall(ASK, Faults.UNKNOWN)) {
      assertThatThrownBy(() -> CallerContext.keep(() -> ran.add("body")))
          .satisfies(thrown -> assertFailed(thrown, "cuCtxGetCurrent"));
      assertThat(faults.calls()).doesNotContain("cuCtxSetCurrent");
    }
    assertThat(ran).isEmpty();
  }

  @Test
  void aFailureToRestoreIsThrown() {
    List<String> ran = new ArrayList<>();
    try (FaultSession faults = Faults.failCall(RESTORE, Faults.UNKNOWN)) {
      assertThatThrownBy(() -> CallerContext.keep(() -> ran.add("body")))
          .satisfies(thrown -> assertFailed(thrown, "cuCtxSetCurrent"));
      assertThat(faults.injected()).hasSize(1);
    }
    assertThat(ran).containsExactly("body");
  }

  @Test
  void aFailureToRestoreIsSuppressedByThatOfTheBody() {
    IllegalStateException planted = new IllegalStateException("planted");
    try (FaultSession faults = Faults.failCall(RESTORE, Faults.UNKNOWN)) {
      assertThatThrownBy(() ->
              CallerContext.keep(() -> {
                throw planted;
              }))
          .isSameAs(planted);
      assertThat(faults.injected()).hasSize(1);
    }
    assertThat(planted.getSuppressed())
        .singleElement()
        .satisfies(thrown -> assertFailed(thrown, "cuCtxSetCurrent"));
  }
}
