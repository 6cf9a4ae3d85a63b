package dev.reprise.softgpu.driver;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

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

  /** A wait for a number in memory that is met, so that the stream goes on. */
  private void expectPass(int found, int wanted, int condition) {
    synchronize(waiting(found, wanted, condition, pinned(4)));
  }

  /** A wait that is not met until another number is there, which meets the conditions used here. */
  private void expectWait(int found, int wanted, int condition) {
    MemorySegment flag = pinned(4);
    MemorySegment stream = waiting(found, wanted, condition, flag);
    expectHeld(stream);
    flag.set(JAVA_INT, 0, condition == AND ? -1 : condition == NOR ? 0 : wanted);
    synchronize(stream);
  }

  private MemorySegment waiting(int found, int wanted, int condition, MemorySegment flag) {
    MemorySegment stream = stream();
    flag.set(JAVA_INT, 0, found);
    ok(cuda_h.cuStreamWaitValue32_v2(stream, flag.address(), wanted, condition));
    return stream;
  }

  @Test
  @Timeout(60)
  void eachConditionHoldsWhereItIsDefinedTo() {
    expectPass(5, 5, GEQ);
    expectPass(Integer.MIN_VALUE, Integer.MAX_VALUE, GEQ);
    expectWait(4, 5, GEQ);
    expectPass(5, 5, EQ);
    expectWait(6, 5, EQ);
    expectPass(6, 2, AND);
    expectWait(4, 2, AND);
    expectPass(4, 2, NOR);
    expectWait(-1, 2, NOR);
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
