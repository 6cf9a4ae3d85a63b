package dev.reprise.softgpu.driver;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Numbers that streams write and wait for. */
class StreamValueTest extends DriverTest {

  private static final long PATIENCE_NANOS = 30_000_000_000L;

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

  /** A wait for a number in memory lets the stream go on. */
  private void expectPasses(int found, int wanted, int condition) {
    MemorySegment stream = stream();
    MemorySegment flag = pinned(4);
    flag.set(JAVA_INT, 0, found);
    ok(cuda_h.cuStreamWaitValue32_v2(stream, flag.address(), wanted, condition));
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    while (cuda_h.cuStreamQuery(stream) != 0) {
      assertThat(System.nanoTime()).as("waiting for %d at %d", wanted, found).isLessThan(deadline);
      LockSupport.parkNanos(50_000);
    }
  }

  /** A wait for a number in memory holds the stream until the number is another one. */
  private void expectHolds(int found, int wanted, int condition, int then) {
    MemorySegment stream = stream();
    MemorySegment flag = pinned(4);
    flag.set(JAVA_INT, 0, found);
    ok(cuda_h.cuStreamWaitValue32_v2(stream, flag.address(), wanted, condition));
    expectHeld(stream);
    flag.set(JAVA_INT, 0, then);
    synchronize(stream);
  }

  @Test
  void eachConditionHoldsWhereItIsDefinedTo() {
    expectPasses(5, 5, GEQ);
    expectPasses(Integer.MIN_VALUE, Integer.MAX_VALUE, GEQ);
    expectHolds(4, 5, GEQ, 5);
    expectPasses(5, 5, EQ);
    expectHolds(6, 5, EQ, 5);
    expectPasses(6, 2, AND);
    expectHolds(4, 2, AND, -1);
    expectPasses(4, 2, NOR);
    expectHolds(-1, 2, NOR, 0);
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
    begin(stream, THREAD_LOCAL);
    expect(Result.NOT_SUPPORTED, cuda_h.cuStreamWriteValue32_v2(stream, buffer, 0, 0));
    end(stream);
  }
}
