package dev.reprise.cuda.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.cuda.CudaException;
import dev.reprise.cuda.Device;
import dev.reprise.cuda.Event;
import dev.reprise.cuda.Graph;
import dev.reprise.cuda.GraphExec;
import dev.reprise.cuda.PreparedLaunch;
import dev.reprise.cuda.Stream;
import dev.reprise.softgpu.faults.FaultSession;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each public method on the thread and stream of a capture, as {@link CaptureCalls} says. */
final class CaptureLegalityTest {

  static List<CaptureCalls.Call> calls() {
    return CaptureCalls.all();
  }

  @Test
  void everyMethodOfDevicesStreamsAndEventsHasItsLine() {
    List<String> listed = calls().stream().map(CaptureCalls.Call::method).toList();
    assertThat(listed).doesNotHaveDuplicates();
    List<String> methods =
        java.util.stream.Stream.of(Device.class, Stream.class, Event.class)
            .flatMap(CaptureLegalityTest::signatures)
            .toList();
    assertThat(methods).hasSizeGreaterThan(80);
    assertThat(listed).containsAll(methods);
    assertThat(methods)
        .containsAll(
            listed.stream().filter(name -> name.matches("(Device|Stream|Event)\\..*")).toList());
  }

  /** Its public methods, and those that it inherits from a superclass that is not public. */
  private static java.util.stream.Stream<String> signatures(Class<?> type) {
    return java.util.stream.Stream.<Class<?>>iterate(
            type, each -> each != Object.class, Class::getSuperclass)
        .flatMap(each -> Arrays.stream(each.getDeclaredMethods()))
        .filter(method -> Modifier.isPublic(method.getModifiers()) && !method.isSynthetic())
        .filter(method -> !method.getName().equals("toString"))
        .map(method -> signature(type, method))
        .distinct();
  }

  private static String signature(Class<?> type, Method method) {
    return type.getSimpleName()
        + "."
        + method.getName()
        + Arrays.stream(method.getParameterTypes())
            .map(Class::getSimpleName)
            .collect(Collectors.joining(",", "(", ")"));
  }

  @ParameterizedTest
  @MethodSource("calls")
  void theCaptureGoesOn(CaptureCalls.Call call) {
    Workbench bench = new Workbench();
    try {
      Runnable body = call.prepare().apply(bench);
      PreparedLaunch launch = bench.fill(bench.a, 1);
      try (Graph graph =
              bench.stream.capture(capture -> {
                launch.launch(bench.stream);
                attempt(call, body);
                launch.launch(bench.stream);
              });
          GraphExec exec = graph.instantiate()) {
        if (call.verdict() == CaptureCalls.Verdict.ALLOWED) {
          assertThat(graph.nodeCount()).isGreaterThanOrEqualTo(2);
        } else {
          assertThat(graph.nodeCount()).isEqualTo(2);
        }
        exec.replay(bench.stream);
        bench.stream.synchronize();
      }
      bench.checkUsable();
    } finally {
      bench.close();
    }
    bench.assertReleased();
    assertThat(bench.listener.failures).isEmpty();
  }

  private static void attempt(CaptureCalls.Call call, Runnable body) {
    switch (call.verdict()) {
      case ALLOWED -> body.run();
      case REFUSED -> {
        try (FaultSession watch = Faults.watch()) {
          assertThatThrownBy(body::run)
              .isInstanceOf(IllegalStateException.class)
              .hasMessageContaining(call.names())
              .hasMessageContaining("'stream'");
          assertThat(watch.calls()).as("driver calls").isEmpty();
        }
      }
    }
  }

  static List<CaptureCalls.Call> refusals() {
    return calls().stream().filter(call -> call.verdict() != CaptureCalls.Verdict.ALLOWED).toList();
  }

  @ParameterizedTest
  @MethodSource("refusals")
  void aBodyThatThrowsTheRefusalEndsTheCapture(CaptureCalls.Call call) {
    Workbench bench = new Workbench();
    try {
      Runnable body = call.prepare().apply(bench);
      PreparedLaunch launch = bench.fill(bench.a, 1);
      assertThatThrownBy(() ->
              bench.stream.capture(capture -> {
                launch.launch(bench.stream);
                body.run();
              }))
          .isInstanceOfAny(IllegalStateException.class, CudaException.class)
          .satisfies(thrown -> assertThat(thrown.getSuppressed()).isEmpty());
      assertThat(bench.stream.isCapturing()).isFalse();
      bench.checkUsable();
    } finally {
      bench.close();
    }
    bench.assertReleased();
  }
}
