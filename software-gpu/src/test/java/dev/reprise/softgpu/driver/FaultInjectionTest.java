package dev.reprise.softgpu.driver;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.reprise.bindings.DriverLibrary;
import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.SoftwareDriver;
import dev.reprise.softgpu.SoftwareGpuSettings;
import dev.reprise.softgpu.driver.support.Result;
import dev.reprise.softgpu.faults.FaultInjection;
import dev.reprise.softgpu.faults.FaultPlan;
import dev.reprise.softgpu.faults.FaultRule;
import dev.reprise.softgpu.faults.FaultSession;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Calls that fail because a plan says so. */
class FaultInjectionTest extends DriverTest {

  private @Nullable FaultSession session;

  @BeforeEach
  void theSoftwareGpuIsLoaded() {
    assertThat(DriverLibrary.current().kind()).isEqualTo(DriverLibrary.Kind.SOFTWARE);
  }

  @AfterEach
  void remove() {
    if (session != null) {
      session.close();
    }
  }

  private FaultSession session() {
    return Objects.requireNonNull(session);
  }

  private static FaultInjection faults() {
    return SoftwareDriver.ofProcess().orElseThrow().faults();
  }

  private void install(FaultRule... rules) {
    session = faults().install(FaultPlan.of(rules));
  }

  private int allocate() {
    return cuda_h.cuMemAlloc_v2(arena().allocate(8), 64);
  }

  @Test
  void theNthUseFailsAndNoOther() {
    install(FaultRule.call("cuMemAlloc_v2", 3, Result.OUT_OF_MEMORY.code()));
    ok(allocate());
    ok(allocate());
    MemorySegment slot = arena().allocate(8);
    expect(Result.OUT_OF_MEMORY, cuda_h.cuMemAlloc_v2(slot, 64));
    assertThat(slot.get(JAVA_LONG, 0)).isZero();
    ok(allocate());
    assertThat(session().count("cuMemAlloc_v2")).isEqualTo(4);
    assertThat(session().injected())
        .extracting(FaultSession.Injected::function, FaultSession.Injected::use)
        .containsExactly(tuple("cuMemAlloc_v2", 3L));
  }

  @Test
  void aRunOfUsesFails() {
    install(
        new FaultRule("cuStreamCreate", 2, 3, Result.UNKNOWN.code(), FaultRule.What.CALL),
        FaultRule.callsFrom("cuEventCreate", 2, Result.NOT_SUPPORTED.code()));
    MemorySegment slot = arena().allocate(8);
    ok(cuda_h.cuStreamCreate(slot, 0));
    expect(Result.UNKNOWN, cuda_h.cuStreamCreate(slot, 0));
    expect(Result.UNKNOWN, cuda_h.cuStreamCreate(slot, 0));
    ok(cuda_h.cuStreamCreate(slot, 0));
    ok(cuda_h.cuEventCreate(slot, 0));
    for (int i = 0; i < 5; i++) {
      expect(Result.NOT_SUPPORTED, cuda_h.cuEventCreate(slot, 0));
    }
  }

  @Test
  void callsOfAllFunctionsCountTogether() {
    install(FaultRule.call(FaultRule.ANY, 3, Result.INVALID_VALUE.code()));
    MemorySegment slot = arena().allocate(8);
    ok(cuda_h.cuStreamCreate(slot, 0));
    ok(cuda_h.cuEventCreate(slot, 0));
    expect(Result.INVALID_VALUE, cuda_h.cuCtxSynchronize());
    ok(cuda_h.cuCtxSynchronize());
    assertThat(session().calls())
        .containsExactly("cuStreamCreate", "cuEventCreate", "cuCtxSynchronize", "cuCtxSynchronize");
  }

  @Test
  void aFailedFreeFreesNothing() {
    long buffer = device(64);
    install(FaultRule.call("cuMemFree_v2", 1, Result.UNKNOWN.code()));
    expect(Result.UNKNOWN, cuda_h.cuMemFree_v2(buffer));
    ok(cuda_h.cuMemFree_v2(buffer));
  }

  @Test
  void aCodeThatPoisonsPoisons() {
    MemorySegment stream = stream();
    MemorySegment event = event();
    install(FaultRule.call("cuEventRecord", 1, Result.LAUNCH_FAILED.code()));
    expect(Result.LAUNCH_FAILED, cuda_h.cuEventRecord(event, stream));
    expect(Result.LAUNCH_FAILED, allocate());
    expect(Result.LAUNCH_FAILED, cuda_h.cuStreamSynchronize(stream));
  }

  @Test
  void whatReleasesSomethingStillDoesInAContextThatItFindsPoisoned() {
    MemorySegment stream = stream();
    install(FaultRule.call("cuStreamDestroy_v2", 1, Result.ILLEGAL_ADDRESS.code()));
    expect(Result.ILLEGAL_ADDRESS, cuda_h.cuStreamDestroy_v2(stream));
    expect(Result.INVALID_HANDLE, cuda_h.cuStreamDestroy_v2(stream));
    expect(Result.ILLEGAL_ADDRESS, allocate());
  }

  @Test
  void theWorkOfACallFailsWhereItRuns() {
    MemorySegment stream = stream();
    long buffer = ints(1, 1);
    boolean[] ran = new boolean[1];
    install(FaultRule.work("cuMemsetD32Async", 2, Result.MISALIGNED_ADDRESS.code()));
    Gate gate = hold(stream);
    fill(buffer, 7, 2, stream);
    fill(buffer, 8, 2, stream);
    hostFunction(stream, () -> ran[0] = true);
    ok(cuda_h.cuCtxGetFlags(arena().allocate(4)));
    gate.open();
    expect(Result.MISALIGNED_ADDRESS, cuda_h.cuStreamSynchronize(stream));
    expect(Result.MISALIGNED_ADDRESS, cuda_h.cuCtxSynchronize());
    assertThat(ran[0]).isFalse();
  }

  @Test
  void aReplayCanFailAsWork() {
    MemorySegment stream = stream();
    long buffer = device(4);
    begin(stream, RELAXED);
    fill(buffer, 1, 1, stream);
    MemorySegment exec = instantiate(end(stream));
    install(FaultRule.work("cuGraphLaunch", 2, Result.ILLEGAL_INSTRUCTION.code()));
    ok(cuda_h.cuGraphLaunch(exec, stream));
    synchronize(stream);
    ok(cuda_h.cuGraphLaunch(exec, stream));
    expect(Result.ILLEGAL_INSTRUCTION, cuda_h.cuStreamSynchronize(stream));
  }

  @Test
  void aCallWithoutWorkSucceedsAndLeavesNothingArmed() {
    MemorySegment stream = stream();
    install(FaultRule.work("cuEventCreate", 1, Result.LAUNCH_FAILED.code()));
    long buffer = device(4);
    event();
    fill(buffer, 1, 1, stream);
    synchronize(stream);
  }

  @Test
  void memoryCanBeLimited() {
    long before = used();
    session = faults().install(FaultPlan.NONE.withMemory(before + (1 << 20)));
    long buffer = device(1 << 20);
    expect(Result.OUT_OF_MEMORY, allocate());
    assertThat(outLong(free -> cuda_h.cuMemGetInfo_v2(free, arena().allocate(8)))).isZero();
    ok(cuda_h.cuMemFree_v2(buffer));
    ok(allocate());
    session().close();
    ok(cuda_h.cuMemFree_v2(device(4 << 20)));
  }

  private long used() {
    MemorySegment total = arena().allocate(8);
    long free = outLong(slot -> cuda_h.cuMemGetInfo_v2(slot, total));
    return total.get(JAVA_LONG, 0) - free;
  }

  @Test
  void theCallsOfOneThreadCanBeMeantAlone() {
    session =
        faults()
            .install(
                FaultPlan.of(FaultRule.callsFrom(FaultRule.ANY, 1, Result.UNKNOWN.code())),
                Thread.currentThread());
    // Through the driver, since the helper makes the context current on the other thread.
    onAnotherThread(() -> ok(cuda_h.cuCtxSynchronize()));
    assertThat(session().calls()).isEmpty();
    expect(Result.UNKNOWN, cuda_h.cuCtxSynchronize());
    assertThat(session().calls()).containsExactly("cuCtxSynchronize");
  }

  @Test
  void onePlanAtATimeAndNoneAfterItIsClosed() {
    install(FaultRule.callsFrom(FaultRule.ANY, 1, Result.UNKNOWN.code()));
    assertThatThrownBy(() -> faults().install(FaultPlan.NONE))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("'*#1+=CUDA_ERROR_UNKNOWN'");
    session().close();
    session().close();
    ok(cuda_h.cuCtxSynchronize());
    try (FaultSession counting = faults().install(FaultPlan.NONE)) {
      ok(cuda_h.cuCtxSynchronize());
      assertThat(counting.count("cuCtxSynchronize")).isEqualTo(1);
    }
  }

  @Test
  void aFunctionThatTheDriverLacksIsRefused() {
    assertThatThrownBy(() -> install(FaultRule.call("cuMemAlloc", 1, 2)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("no function cuMemAlloc; it has cuMemAlloc_v2");
    assertThatThrownBy(() -> install(FaultRule.call("cuNothing", 1, 2)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageEndingWith("the software GPU has no function cuNothing");
    assertThatThrownBy(() ->
            new SoftwareDriver(
                new SoftwareGpuSettings(1 << 20, 1, false, FaultPlan.parse("cuNothing#1=2"))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("REPRISE_SOFTGPU_FAULTS: 'cuNothing#1=CUDA_ERROR_OUT_OF_MEMORY'");
  }

  @Test
  void theSettingIsReadWhereItIsWrong() {
    String before = System.getProperty(SoftwareGpuSettings.FAULTS);
    System.setProperty(SoftwareGpuSettings.FAULTS, "cuInit#1");
    try {
      assertThatThrownBy(SoftwareGpuSettings::fromEnvironment)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("REPRISE_SOFTGPU_FAULTS: 'cuInit#1': it must be");
      System.setProperty(SoftwareGpuSettings.FAULTS, "cuInit#1=100");
      assertThat(SoftwareGpuSettings.fromEnvironment().faults())
          .isEqualTo(FaultPlan.of(FaultRule.call("cuInit", 1, 100)));
    } finally {
      Optional.ofNullable(before)
          .ifPresentOrElse(
              value -> System.setProperty(SoftwareGpuSettings.FAULTS, value),
              () -> System.clearProperty(SoftwareGpuSettings.FAULTS));
    }
  }
}
