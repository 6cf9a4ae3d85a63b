package dev.reprise.softgpu.driver;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** Numbers that streams write and wait for. */
class StreamValueTest extends DriverTest {

  private static final int GEQ = 0;
  private static final int EQ = 1;
  private static final int AND = 2;
  private static final int NOR = 3;

  @Test
  void aWriteComesInStreamOrder() {
    MemorySegment stream = stream();
    long buffer = ints(0, 0, 0, 0);
    Gate gate = hold(stream);
    ok(cuda_h.cuStreamWriteValue32_v2(stream, buffer + 4, -7, 0));
    ok(cuda_h.cuStreamWriteValue64_v2(stream, buffer + 8, 1L << 33, 1));
    assertThat(read(buffer, 2)).containsExactly(0, 0);
    gate.open();
    synchronize(stream);
    assertThat(read(buffer, 4)).containsExactly(0, -7, 0, 2);
  }

  @Test
  void aStreamWaitsForWhatAnotherWrites() {
    MemorySegment waiting = stream();
    MemorySegment writing = stream();
    long flag = ints(0, 0);
    long out = ints(0);
    ok(cuda_h.cuStreamWaitValue32_v2(waiting, flag, 2, GEQ));
    fill(out, 1, 1, waiting);
    expectHeld(waiting);
    ok(cuda_h.cuStreamWriteValue32_v2(writing, flag, 1, 0));
    synchronize(writing);
    expectHeld(waiting);
    ok(cuda_h.cuStreamWriteValue32_v2(writing, flag, 3, 0));
    synchronize(waiting);
    assertThat(read(out, 1)).containsExactly(1);
  }

  /** Whether a wait for a number in memory lets the stream go on. */
  private boolean passes(int found, int wanted, int condition) {
    MemorySegment stream = stream();
    MemorySegment flag = pinned(4);
    flag.set(JAVA_INT, 0, found);
    ok(cuda_h.cuStreamWaitValue32_v2(stream, flag.address(), wanted, condition));
    boolean passed = false;
    for (int i = 0; i < 200 && !passed; i++) {
      passed = cuda_h.cuStreamQuery(stream) == 0;
      if (!passed) {
        java.util.concurrent.locks.LockSupport.parkNanos(50_000);
      }
    }
    // Lets a stream that is held go: a number that meets all of the conditions used here.
    flag.set(JAVA_INT, 0, condition == AND ? -1 : condition == NOR ? 0 : wanted);
    synchronize(stream);
    return passed;
  }

  @Test
  void eachConditionHoldsWhereItIsDefinedTo() {
    assertThat(passes(5, 5, GEQ)).isTrue();
    assertThat(passes(Integer.MIN_VALUE, Integer.MAX_VALUE, GEQ)).as("wraps").isTrue();
    assertThat(passes(4, 5, GEQ)).isFalse();
    assertThat(passes(5, 5, EQ)).isTrue();
    assertThat(passes(6, 5, EQ)).isFalse();
    assertThat(passes(6, 2, AND)).isTrue();
    assertThat(passes(4, 2, AND)).isFalse();
    assertThat(passes(4, 2, NOR)).isTrue();
    assertThat(passes(-1, 2, NOR)).isFalse();
  }

  @Test
  void sixtyFourBitsAreComparedAsAWhole() {
    MemorySegment stream = stream();
    MemorySegment flag = pinned(8);
    flag.set(JAVA_LONG, 0, 1);
    ok(cuda_h.cuStreamWaitValue64_v2(stream, flag.address(), (1L << 40) + 1, EQ));
    expectHeld(stream);
    flag.set(JAVA_LONG, 0, (1L << 40) + 1);
    synchronize(stream);
  }

  @Test
  void whatCannotBeIsRefused() {
    MemorySegment stream = stream();
    long buffer = ints(0, 0);
    expect(Result.INVALID_VALUE, cuda_h.cuStreamWriteValue32_v2(stream, buffer + 2, 0, 0));
    expect(Result.INVALID_VALUE, cuda_h.cuStreamWriteValue64_v2(stream, buffer + 4, 0, 0));
    expect(Result.INVALID_VALUE, cuda_h.cuStreamWriteValue32_v2(stream, buffer + 8, 0, 0));
    expect(Result.INVALID_VALUE, cuda_h.cuStreamWriteValue32_v2(stream, buffer, 0, 2));
    expect(Result.INVALID_VALUE, cuda_h.cuStreamWaitValue32_v2(stream, buffer, 0, 4));
    expect(Result.NOT_SUPPORTED, cuda_h.cuStreamWaitValue32_v2(stream, buffer, 0, 1 << 30));
  }
}
