package dev.reprise.cuda;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.bindings.cuda.cuda_h;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is current on a thread that other CUDA code uses, too. */
final class CallerContextTest extends GpuTest {

  private static final MemorySegment NONE = MemorySegment.NULL;

  private Device other;

  @SuppressWarnings("NullAway.Init") // set before each test
  CallerContextTest() {}

  @BeforeEach
  void openOther() {
    other = Device.open(1);
  }

  @AfterEach
  void closeOther() {
    other.close();
  }

  private static void make(MemorySegment context) {
    assertThat(cuda_h.cuCtxSetCurrent(context)).isZero();
  }

  private static MemorySegment current() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(8, 8);
      assertThat(cuda_h.cuCtxGetCurrent(out)).isZero();
      return MemorySegment.ofAddress(out.get(JAVA_LONG, 0));
    }
  }

  @Test
  void aCallLeavesItsOwnContextCurrentWithoutAScope() {
    make(other.driverHandle());
    stream.synchronize();
    assertThat(current()).isEqualTo(device.driverHandle());
  }

  @Test
  void whatWasCurrentIsCurrentAgain() {
    for (MemorySegment before : List.of(NONE, other.driverHandle(), device.driverHandle())) {
      make(before);
      CallerContext.keep(() -> {
        stream.synchronize();
        assertThat(current()).isEqualTo(device.driverHandle());
      });
      assertThat(current()).isEqualTo(before);
    }
  }

  @Test
  void aScopeMayBeInsideAnother() {
    make(other.driverHandle());
    CallerContext.keep(() -> {
      make(NONE);
      CallerContext.keep(stream::synchronize);
      assertThat(current()).isEqualTo(NONE);
      stream.synchronize();
    });
    assertThat(current()).isEqualTo(other.driverHandle());
  }

  @Test
  void whatTheBodyReturnsOrThrowsComesThrough() throws IOException {
    make(NONE);
    int value =
        CallerContext.keepCalling(() -> {
          stream.synchronize();
          return 5;
        });
    assertThat(value).isEqualTo(5);
    assertThat(current()).isEqualTo(NONE);
    for (Throwable planted :
        List.of(new IOException("checked"), new IllegalStateException(), new AssertionError())) {
      assertThatThrownBy(() ->
              CallerContext.keepCalling(() -> {
                stream.synchronize();
                throw planted;
              }))
          .isSameAs(planted)
          .satisfies(thrown -> assertThat(thrown.getSuppressed()).isEmpty());
      assertThat(current()).isEqualTo(NONE);
    }
  }

  @Test
  void aContextThatIsGoneIsAnErrorOfTheScope() {
    MemorySegment own = ownContext();
    make(own);
    assertThatThrownBy(
            () -> CallerContext.keep(() -> assertThat(cuda_h.cuCtxDestroy_v2(own)).isZero()))
        .isInstanceOfSatisfying(
            CudaException.class,
            e -> {
              assertThat(e.function()).isEqualTo("cuCtxSetCurrent");
              assertThat(e.arguments()).contains("restored=0x");
            });
    make(NONE);
    stream.synchronize();
  }

  private static MemorySegment ownContext() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(8, 8);
      assertThat(cuda_h.cuCtxCreate_v4(out, NONE, 0, 0)).isZero();
      return MemorySegment.ofAddress(out.get(JAVA_LONG, 0));
    }
  }

  @Test
  void virtualThreadsAreRefused() throws InterruptedException {
    List<Throwable> thrown = new CopyOnWriteArrayList<>();
    Thread.ofVirtual()
        .start(() -> {
          try {
            CallerContext.keep(() -> thrown.add(new AssertionError("the body ran")));
          } catch (IllegalStateException e) {
            thrown.add(e);
          }
        })
        .join();
    assertThat(thrown)
        .singleElement()
        .satisfies(e ->
            assertThat(e)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("virtual thread")
                .hasMessageContaining("Run it on a platform thread"));
  }

  @Test
  void hostFunctionsAreRefused() {
    stream.launchHost("caller", () -> CallerContext.keep(() -> {}));
    stream.synchronize();
    assertThat(listener.hostFailures)
        .singleElement()
        .satisfies(failure ->
            assertThat(failure.failure())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("CallerContext.keep is not allowed inside")
                .hasMessageContaining("'caller'"));
  }
}
