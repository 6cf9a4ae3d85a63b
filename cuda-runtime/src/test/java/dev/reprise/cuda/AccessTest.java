package dev.reprise.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.cuda.diagnostics.AccessCheck;
import dev.reprise.cuda.diagnostics.Diagnostics;
import dev.reprise.cuda.diagnostics.UnorderedAccess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * Two streams and two buffers of 16 ints, zeros at first, on a device that reports unordered
 * accesses.
 */
abstract class AccessTest extends GpuTest {

  /** Why tests make mistakes that the sanitizer reports, too. */
  static final String FOUND = "the check of the runtime finds it";

  static final int N = 16;

  Stream left;
  Stream right;
  DeviceBuffer a;
  DeviceBuffer b;

  @SuppressWarnings("NullAway.Init") // set before each test
  AccessTest() {}

  @Override
  Diagnostics diagnostics() {
    return Diagnostics.standard().withCreationSites().withAccessCheck(AccessCheck.REPORT);
  }

  @BeforeEach
  void openStreams() {
    left = device.createStream("left");
    right = device.createStream("right");
    a = device.allocate("a", N * 4L);
    b = device.allocate("b", N * 4L);
    clear(a);
    clear(b);
  }

  /** Not by the runtime, whose check would take it for a use. */
  static void clear(DeviceBuffer buffer) {
    assertThat(cuda_h.cuMemsetD8_v2(buffer.address(), (byte) 0, buffer.size())).isZero();
    assertThat(cuda_h.cuCtxSynchronize()).isZero();
  }

  @AfterEach
  void closeStreams() {
    a.close();
    b.close();
    left.close();
    right.close();
  }

  final void assertNothingFound() {
    assertThat(listener.unordered.stream().map(UnorderedAccess::describe)).isEmpty();
  }

  /** The one report, of which both stacks show the test that calls. */
  final UnorderedAccess found() {
    assertThat(listener.unordered.stream().map(UnorderedAccess::describe)).hasSize(1);
    UnorderedAccess found = listener.unordered.getFirst();
    assertShowsTest(found.first().site());
    assertShowsTest(found.second().site());
    assertThat(found.describe())
        .contains(found.memory().label(), found.first().describe(), found.second().describe());
    return found;
  }

  final void assertShowsTest(Throwable site) {
    // First the method of the runtime, then what called it.
    assertThat(site.getStackTrace()[1].getClassName())
        .as(site.toString())
        .startsWith(getClass().getName());
  }

  final void assertFound(UnorderedAccess.Kind kind, String memory, String first, String second) {
    UnorderedAccess found = found();
    assertThat(found.kind()).isEqualTo(kind);
    assertThat(found.memory().label()).isEqualTo(memory);
    assertThat(found.first().describe()).isEqualTo(first);
    assertThat(found.second().describe()).isEqualTo(second);
  }

  /** Lets {@code after} go on behind what was issued to {@code before}. */
  final void order(Stream before, Stream after) {
    try (Event event = device.createEvent()) {
      before.record(event);
      after.waitFor(event);
    }
  }
}
