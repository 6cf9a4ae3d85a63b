package dev.reprise.cuda.faults;

import static dev.reprise.cuda.faults.Workbench.BYTES;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cuda.BufferOptions;
import dev.reprise.cuda.CudaException;
import dev.reprise.cuda.Descriptors;
import dev.reprise.cuda.Device;
import dev.reprise.cuda.DeviceBuffer;
import dev.reprise.cuda.Eventually;
import dev.reprise.cuda.ExternalSemaphoreKind;
import dev.reprise.cuda.LiveResources;
import dev.reprise.cuda.VirtualRange;
import dev.reprise.cuda.diagnostics.Diagnostics;
import dev.reprise.cuda.diagnostics.ResourceKind;
import dev.reprise.softgpu.faults.FaultSession;
import dev.reprise.softgpu.junit.PlantedMistake;
import dev.reprise.softgpu.sanitizer.ReportKind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** An error at each driver call that a close leads to, on whatever thread that is made. */
final class CloseFaultTest {

  /**
   * Memory that the driver would not free lives until its context ends; memory of pools does not.
   */
  private static final String LET_GO = "the call that frees it, or one before, is made to fail";

  @AfterEach
  void resetContext() {
    Faults.resetContext();
  }

  /** Outlives every registration of it. */
  private static final MemorySegment REGISTERED = Arena.global().allocate(4096);

  /** Something to close. */
  record Closing(String name, Function<Workbench, AutoCloseable> make) {
    @Override
    public String toString() {
      return name;
    }
  }

  static List<Closing> closings() {
    return List.of(
        new Closing(
            "Device", bench -> Device.open(0, Diagnostics.standard().withListener(bench.listener))),
        new Closing("Stream", bench -> bench.device.createStream("made")),
        new Closing("Event", bench -> bench.device.createEvent("made")),
        new Closing("DeviceBuffer", bench -> bench.device.allocate("made", 100)),
        new Closing("DeviceBuffer of a stream", bench -> bench.stream.allocate("made", 100)),
        new Closing("PinnedBuffer", bench -> bench.device.allocatePinned("made", 100)),
        new Closing("RegisteredMemory", bench -> bench.device.register("made", REGISTERED)),
        new Closing(
            "VirtualRange",
            bench -> {
              VirtualRange range = bench.device.reserve("made", 3 << 21);
              range.grow(1);
              range.grow(1);
              return range;
            }),
        new Closing("MemoryPool", bench -> bench.device.createMemoryPool("made")),
        new Closing("CudaModule", bench -> bench.device.loadModule("made", Workbench.PTX)),
        new Closing("CudaLibrary", bench -> bench.device.loadLibrary("made", Workbench.PTX)),
        new Closing(
            "PeerAccess", bench -> bench.device.enablePeerAccess(bench.keep(Device.open(1)))),
        new Closing(
            "PeerAccess to a pool",
            bench -> {
              Device peer = bench.keep(Device.open(1));
              return bench.device.enablePeerAccess(bench.keep(peer.createMemoryPool("pool")));
            }),
        new Closing(
            "DeviceBuffer with automatic order",
            bench -> {
              BufferOptions automatic = BufferOptions.STANDARD.withAutomaticOrder();
              DeviceBuffer made = bench.device.allocate("made", 64, automatic);
              bench.stream.fill32(made, 0, 1, 1);
              bench.stream.synchronize();
              return made;
            }),
        new Closing(
            "ExternalSemaphore",
            bench ->
                bench.device.importSemaphore(
                    "made", ExternalSemaphoreKind.BINARY_FD, Descriptors.file())),
        new Closing(
            "ExternalMemory",
            bench -> bench.device.importMemory("made", Descriptors.file(BYTES), BYTES)),
        new Closing(
            "DeviceBuffer of external memory",
            bench -> {
              int descriptor = Descriptors.file(BYTES);
              return bench
                  .keep(bench.device.importMemory("external", descriptor, BYTES))
                  .map("made", 0, BYTES);
            }),
        new Closing("UserObject", bench -> bench.device.createUserObject("made", () -> {})),
        new Closing(
            "Graph",
            bench -> bench.stream.capture(capture -> bench.stream.fill32(bench.a, 0, 1, 1))),
        new Closing("GraphExec", bench -> new GraphOperations.Parts(bench).graph.instantiate()));
  }

  private static void close(AutoCloseable object) {
    try {
      object.close();
    } catch (Exception e) {
      throw new AssertionError("closing does not fail", e);
    }
  }

  private static void awaitLive(String what, Map<ResourceKind, Integer> wanted) {
    Eventually.isTrue(
        what + ": live " + LiveResources.snapshot() + " back to " + wanted,
        () -> LiveResources.snapshot().equals(wanted));
  }

  private static List<String> callsOf(Closing closing) {
    // Once beforehand: the first use of a function looks it up.
    callsOnce(closing);
    return callsOnce(closing);
  }

  private static List<String> callsOnce(Closing closing) {
    Workbench bench = new Workbench();
    List<String> calls;
    try {
      // What the object needs besides itself stays with the workbench, so its kind alone goes.
      AutoCloseable object = closing.make().apply(bench);
      Map<ResourceKind, Integer> before = LiveResources.snapshot();
      try (FaultSession watch = Faults.watchAll()) {
        close(object);
        Eventually.isTrue(
            "released",
            () ->
                !LiveResources.snapshot().equals(before)
                    && LiveResources.count(ResourceKind.HOST_REGISTRATION) == 0);
        calls = watch.calls();
      }
    } finally {
      bench.close();
    }
    bench.assertReleased();
    return calls;
  }

  @ParameterizedTest
  @MethodSource("closings")
  @PlantedMistake(kind = ReportKind.LEAK, reports = 3, invocation = "= PinnedBuffer", why = LET_GO)
  @PlantedMistake(
      kind = ReportKind.LEAK,
      reports = 3,
      invocation = "= RegisteredMemory",
      why = LET_GO)
  @PlantedMistake(
      kind = ReportKind.LEAK,
      reports = 2,
      invocation = "= DeviceBuffer of external memory",
      why = LET_GO)
  void aCallThatFailsIsReportedAndTheObjectIsLetGo(Closing closing) {
    List<String> calls = callsOf(closing);
    assertThat(calls).isNotEmpty();
    Map<String, Integer> uses = new HashMap<>();
    for (String function : calls) {
      int use = uses.merge(function, 1, Integer::sum);
      String what = "%s with use %d of %s in %s failing".formatted(closing, use, function, calls);
      Workbench bench = new Workbench();
      try {
        AutoCloseable object = closing.make().apply(bench);
        Map<ResourceKind, Integer> before = LiveResources.snapshot();
        try (FaultSession faults = Faults.failUse(function, use, Faults.UNKNOWN)) {
          close(object);
          Eventually.isTrue(what, () -> !LiveResources.snapshot().equals(before));
          Eventually.isTrue(what + ": injected", () -> !faults.injected().isEmpty());
          Eventually.isTrue(what + ": reported", () -> !bench.listener.failures.isEmpty());
        }
        assertThat(bench.listener.failures)
            .as(what)
            .singleElement()
            .satisfies(failure ->
                assertThat(failure.failure())
                    .isInstanceOfSatisfying(
                        CudaException.class,
                        e -> {
                          assertThat(e.function()).isEqualTo(function);
                          assertThat(e.code()).isEqualTo(Faults.UNKNOWN);
                        }));
        bench.checkUsable();
      } finally {
        bench.close();
      }
      bench.assertReleased();
    }
  }

  /** The calls of a close that waits for the GPU: a fence is made, asked, waited for. */
  static List<String> fencing() {
    return List.of(
        "cuEventCreate",
        "cuEventRecord",
        "cuEventQuery",
        "cuEventSynchronize",
        "cuMemFreeAsync",
        "cuCtxSetCurrent");
  }

  @ParameterizedTest
  @MethodSource("fencing")
  void whatIsInUseStaysUntilItIsKnownToBeIdle(String function) {
    for (int use = 1; use <= 3; use++) {
      String what = "use %d of %s failing".formatted(use, function);
      Workbench bench = new Workbench();
      Map<ResourceKind, Integer> idle = LiveResources.snapshot();
      try {
        var used = bench.device.allocate("used", 64);
        bench.hold(bench.stream);
        bench.stream.fill32(used, 0, 16, 1);
        try (FaultSession faults = Faults.failUse(function, use, Faults.UNKNOWN)) {
          used.close();
          assertThat(LiveResources.snapshot()).as(what).isNotEqualTo(idle);
          bench.letGo();
          awaitLive(what, idle);
          assertThat(bench.listener.failures).as(what).hasSizeLessThanOrEqualTo(1);
          if (!faults.injected().isEmpty()) {
            Eventually.isTrue(what + ": reported", () -> bench.listener.failures.size() == 1);
          }
        }
        bench.checkUsable();
      } finally {
        bench.letGo();
        bench.close();
      }
      bench.assertReleased();
    }
  }
}
