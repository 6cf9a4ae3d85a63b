package dev.reprise.softgpu.driver;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.bindings.cuda.CUstreamCallback;
import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.SoftwareDriver;
import dev.reprise.softgpu.driver.support.Result;
import dev.reprise.softgpu.rules.OpenRule;
import dev.reprise.softgpu.rules.OpenRules;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Both answers to each rule that CUDA's documentation leaves open. */
class OpenRulesTest extends DriverTest {

  private static final MemorySegment LEGACY = MemorySegment.NULL;
  private static final int ACTIVE = 1;

  @BeforeEach
  @AfterEach
  void firstAnswers() {
    driver().rules(OpenRules.DEFAULT);
  }

  private static SoftwareDriver driver() {
    return SoftwareDriver.ofProcess().orElseThrow();
  }

  private static void second(OpenRule rule) {
    driver().rules(OpenRules.second(rule));
  }

  private void expectInvalidated(MemorySegment stream) {
    expectEnd(Result.STREAM_CAPTURE_INVALIDATED, stream);
  }

  @Test
  void aLegacyCallInvalidatesOrIsHarmless() {
    MemorySegment blocking = blockingStream();
    long buffer = device(4);
    begin(blocking, RELAXED);
    second(OpenRule.LEGACY_CALL);
    expect(Result.STREAM_CAPTURE_IMPLICIT, cuda_h.cuMemsetD32Async(buffer, 1, 1, LEGACY));
    assertThat(captureStatus(blocking)).isEqualTo(ACTIVE);
    firstAnswers();
    expect(Result.STREAM_CAPTURE_IMPLICIT, cuda_h.cuMemsetD32Async(buffer, 1, 1, LEGACY));
    expectInvalidated(blocking);
  }

  @Test
  void legacyWorkBesideACaptureIsAllowedOrUnsafe() {
    MemorySegment stream = stream();
    long buffer = device(4);
    begin(stream, GLOBAL);
    fill(buffer, 1, 1, LEGACY);
    assertThat(captureStatus(stream)).isEqualTo(ACTIVE);
    second(OpenRule.LEGACY_WORK);
    MemorySegment mode = arena().allocateFrom(JAVA_INT, RELAXED);
    ok(cuda_h.cuThreadExchangeStreamCaptureMode(mode));
    fill(buffer, 1, 1, LEGACY);
    ok(cuda_h.cuThreadExchangeStreamCaptureMode(mode));
    expect(Result.STREAM_CAPTURE_UNSUPPORTED, cuda_h.cuMemsetD32Async(buffer, 1, 1, LEGACY));
    expectInvalidated(stream);
  }

  @Test
  void aCallbackInACaptureHasOneOfTwoCodes() {
    MemorySegment stream = stream();
    MemorySegment callback = CUstreamCallback.allocate((handle, code, data) -> {}, arena());
    begin(stream, RELAXED);
    expect(
        Result.STREAM_CAPTURE_UNSUPPORTED, cuda_h.cuStreamAddCallback(stream, callback, LEGACY, 0));
    expectInvalidated(stream);
    second(OpenRule.CALLBACK);
    begin(stream, RELAXED);
    expect(Result.NOT_SUPPORTED, cuda_h.cuStreamAddCallback(stream, callback, LEGACY, 0));
    expectInvalidated(stream);
  }

  @Test
  void destroyingACapturingStreamIsRefusedOrEndsTheCapture() {
    MemorySegment stream = stream();
    MemorySegment fork = stream();
    MemorySegment event = event();
    begin(stream, RELAXED);
    expect(Result.STREAM_CAPTURE_UNSUPPORTED, cuda_h.cuStreamDestroy_v2(stream));
    expectInvalidated(stream);
    second(OpenRule.STREAM_DESTROY);
    begin(stream, RELAXED);
    record(event, stream);
    waitFor(fork, event);
    ok(cuda_h.cuStreamDestroy_v2(fork));
    expectInvalidated(stream);
    begin(stream, RELAXED);
    fill(device(4), 1, 1, stream);
    ok(cuda_h.cuStreamDestroy_v2(stream));
    ok(cuda_h.cuCtxSynchronize());
  }

  @Test
  void aGraphLaunchInACaptureIsAChildOrRefused() {
    MemorySegment stream = stream();
    begin(stream, RELAXED);
    fill(device(4), 1, 1, stream);
    MemorySegment exec = instantiate(end(stream));
    begin(stream, RELAXED);
    ok(cuda_h.cuGraphLaunch(exec, stream));
    assertThat(nodeType(nodes(end(stream)).getFirst())).as("child graph").isEqualTo(4);
    second(OpenRule.GRAPH_LAUNCH);
    begin(stream, RELAXED);
    expect(Result.STREAM_CAPTURE_UNSUPPORTED, cuda_h.cuGraphLaunch(exec, stream));
    expectInvalidated(stream);
  }

  @Test
  void loadingAModuleIsUnsafeOrAllowed() {
    MemorySegment stream = stream();
    MemorySegment image = arena().allocateFrom(text("probe.ptx"));
    MemorySegment slot = arena().allocate(8);
    begin(stream, GLOBAL);
    expect(Result.STREAM_CAPTURE_UNSUPPORTED, cuda_h.cuModuleLoadData(slot, image));
    expectInvalidated(stream);
    second(OpenRule.MODULE_LOAD);
    begin(stream, GLOBAL);
    ok(cuda_h.cuModuleUnload(probe()));
    end(stream);
  }

  @Test
  void aTrapHasOneOfTwoCodes() {
    MemorySegment stream = stream();
    second(OpenRule.TRAP);
    launch(kernel(probe(), "trap"), 1, 1, stream);
    expect(Result.ILLEGAL_INSTRUCTION, cuda_h.cuStreamSynchronize(stream));
    newContext();
    firstAnswers();
    MemorySegment fresh = stream();
    launch(kernel(probe(), "trap"), 1, 1, fresh);
    expect(Result.LAUNCH_FAILED, cuda_h.cuStreamSynchronize(fresh));
  }

  private void newContext() {
    ok(cuda_h.cuDevicePrimaryCtxReset_v2(0));
    ok(cuda_h.cuCtxSetCurrent(out(slot -> cuda_h.cuDevicePrimaryCtxRetain(slot, 0))));
  }

  @Test
  void aContextAfterAFaultIsHealthyOrPoisoned() {
    MemorySegment stream = stream();
    launch(kernel(probe(), "trap"), 1, 1, stream);
    expect(Result.LAUNCH_FAILED, cuda_h.cuStreamSynchronize(stream));
    newContext();
    second(OpenRule.CONTEXT_AFTER_FAULT);
    newContext();
    MemorySegment fresh = stream();
    launch(kernel(probe(), "trap"), 1, 1, fresh);
    expect(Result.LAUNCH_FAILED, cuda_h.cuStreamSynchronize(fresh));
    ok(cuda_h.cuDevicePrimaryCtxReset_v2(0));
    MemorySegment slot = arena().allocate(8);
    expect(Result.LAUNCH_FAILED, cuda_h.cuDevicePrimaryCtxRetain(slot, 0));
    expect(Result.LAUNCH_FAILED, cuda_h.cuCtxCreate_v4(slot, MemorySegment.NULL, 0, 0));
    firstAnswers();
    newContext();
    synchronize(stream());
  }

  @ParameterizedTest
  @EnumSource
  void everyRuleCanBeSetAndIsOnThePage(OpenRule rule) throws IOException {
    assertThat(OpenRules.parse(rule.setting() + "=" + rule.second()))
        .isEqualTo(OpenRules.second(rule));
    assertThat(OpenRules.parse(" " + rule.setting() + " = " + rule.first() + ";"))
        .isEqualTo(OpenRules.DEFAULT);
    Path page = Path.of(System.getProperty("reprise.root", "..")).resolve("docs/software-gpu.md");
    assertThat(Files.readString(page))
        .contains("| `%s` | `%s` | `%s` |".formatted(rule.setting(), rule.first(), rule.second()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"trap", "trap=1", "nothing=900", "trap=715;x"})
  void wrongSettingsAreRefused(String text) {
    assertThatThrownBy(() -> OpenRules.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aWrongSettingNamesItsVariable() {
    System.setProperty(OpenRules.SETTING, "trap=716");
    try {
      assertThatThrownBy(OpenRules::fromEnvironment)
          .hasMessage("REPRISE_SOFTGPU_RULES: trap is '719' or '715', not '716'");
    } finally {
      System.clearProperty(OpenRules.SETTING);
    }
  }
}
