package dev.reprise.cuda.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cuda.CudaException;
import dev.reprise.cuda.Eventually;
import dev.reprise.cuda.LiveResources;
import dev.reprise.cuda.Settling;
import dev.reprise.cuda.diagnostics.CleanupFailure;
import dev.reprise.cuda.diagnostics.ResourceKind;
import dev.reprise.softgpu.faults.FaultSession;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** An error at each driver call of each operation. */
final class OperationFaultTest {

  /** By the name of the operation, which is run with nothing failing once for all its tests. */
  private static final Map<String, List<String>> CALLS = new ConcurrentHashMap<>();

  private static List<String> callsOf(Operation operation) {
    return CALLS.computeIfAbsent(operation.name(), name -> Faults.callsOf(operation));
  }

  @AfterEach
  void resetContext() {
    Faults.resetContext();
  }

  static Stream<Operation> operations() {
    return Stream.of(
            DeviceOperations.all(),
            StreamOperations.all(),
            SemaphoreOperations.all(),
            GraphOperations.all())
        .flatMap(List::stream);
  }

  @ParameterizedTest
  @MethodSource("operations")
  void aCallThatFailsIsNamedAndLeavesNothingBehind(Operation operation) {
    List<String> calls = callsOf(operation);
    assertThat(calls).isNotEmpty();
    for (int use = 1; use <= calls.size(); use++) {
      String what = "%s with call %d of %s failing".formatted(operation, use, calls);
      Workbench bench = new Workbench();
      try {
        failThenDo(operation, bench, use, calls.get(use - 1), what);
      } finally {
        bench.close();
      }
      bench.assertReleased();
    }
  }

  private static void failThenDo(
      Operation operation, Workbench bench, int use, String function, String what) {
    Runnable body = operation.prepare().apply(bench);
    Settling.settle(bench.device);
    Map<ResourceKind, Integer> before = LiveResources.snapshot();
    CudaException thrown;
    boolean reached;
    try (FaultSession faults = Faults.failCall(use, Faults.UNKNOWN)) {
      thrown = failure(body);
      reached = !faults.injected().isEmpty();
    }
    if (thrown == null && operation.closes()) {
      // How often a release asks the driver depends on how far the work is.
      if (reached) {
        assertReported(bench, what);
      }
    } else {
      assertNames(thrown, function, Faults.UNKNOWN, what);
      assertThat(bench.listener.failures).as(what).isEmpty();
      Eventually.isTrue(
          what + ": live " + LiveResources.snapshot() + " back to " + before,
          () -> noMoreThan(before));
    }
    body.run();
    bench.checkUsable();
  }

  /** What was closed earlier may have been released since, so that there may be less. */
  private static boolean noMoreThan(Map<ResourceKind, Integer> before) {
    return LiveResources.snapshot().entrySet().stream()
        .allMatch(entry -> entry.getValue() <= before.getOrDefault(entry.getKey(), 0));
  }

  private static @Nullable CudaException failure(Runnable body) {
    try {
      body.run();
      return null;
    } catch (CudaException e) {
      return e;
    }
  }

  private static void assertNames(
      @Nullable CudaException thrown, String function, int code, String what) {
    assertThat(thrown).as(what).isNotNull();
    CudaException e = Objects.requireNonNull(thrown);
    assertThat(e.function()).as(what).isEqualTo(function);
    assertThat(e.code()).as(what).isEqualTo(code);
    // A capture that is broken off in the middle may have forks that nobody joined.
    assertThat(e.getSuppressed())
        .as(what)
        .allSatisfy(later ->
            assertThat(later)
                .isInstanceOfSatisfying(
                    CudaException.class,
                    failed -> assertThat(failed.name()).endsWith("CAPTURE_UNJOINED")));
  }

  private static void assertReported(Workbench bench, String what) {
    Eventually.isTrue(what + ": reported", () -> bench.listener.failures.size() == 1);
    CleanupFailure failure = bench.listener.failures.getFirst();
    assertThat(failure.failure())
        .as(what)
        .isInstanceOfSatisfying(
            CudaException.class, e -> assertThat(e.code()).isEqualTo(Faults.UNKNOWN));
  }

  @ParameterizedTest
  @MethodSource("operations")
  void inAContextThatIsPoisonedAtAnyCallEverythingStillCloses(Operation operation) {
    List<String> calls = callsOf(operation);
    for (int use = 1; use <= calls.size(); use++) {
      String what = "%s with call %d of %s poisoning".formatted(operation, use, calls);
      Workbench bench = new Workbench();
      try {
        Runnable body = operation.prepare().apply(bench);
        Settling.settle(bench.device);
        CudaException thrown;
        try (FaultSession faults = Faults.failCall(use, Faults.LAUNCH_FAILED)) {
          thrown = failure(body);
          assertThat(operation.closes() || faults.injected().size() == 1).as(what).isTrue();
        }
        if (!operation.closes() || thrown != null) {
          assertThat(thrown).as(what).isNotNull();
          CudaException e = Objects.requireNonNull(thrown);
          assertThat(e.function()).as(what).isEqualTo(calls.get(use - 1));
          assertThat(e.code()).as(what).isEqualTo(Faults.LAUNCH_FAILED);
          assertThat(e.contextPoisoned()).as(what).isTrue();
        }
      } finally {
        bench.close();
      }
      bench.assertReleased();
    }
  }
}
