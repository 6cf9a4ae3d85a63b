package dev.reprise.softgpu.driver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class StreamTest extends DriverTest {

  private static final MemorySegment LEGACY = MemorySegment.NULL;
  private static final MemorySegment PER_THREAD = MemorySegment.ofAddress(2);

  @Test
  void workIsDoneInTheOrderOfTheCalls() {
    MemorySegment stream = stream();
    List<Integer> order = Collections.synchronizedList(new ArrayList<>());
    for (int i = 0; i < 200; i++) {
      int number = i;
      hostFunction(stream, () -> order.add(number));
    }
    synchronize(stream);
    assertThat(order).isEqualTo(IntStream.range(0, 200).boxed().toList());
  }

  @Test
  void callsReturnBeforeTheWorkIsDone() {
    MemorySegment stream = stream();
    long buffer = ints(1);
    Gate gate = hold(stream);
    fill(buffer, 2, 1, stream);
    expectHeld(stream);
    assertThat(read(buffer, 1)).containsExactly(1);
    gate.open();
    synchronize(stream);
    ok(cuda_h.cuStreamQuery(stream));
    assertThat(read(buffer, 1)).containsExactly(2);
  }

  @Test
  void streamsDoNotWaitForEachOther() {
    MemorySegment busy = stream();
    MemorySegment free = stream();
    hold(busy);
    fill(device(4), 1, 1, free);
    synchronize(free);
    expectHeld(busy);
  }

  @Test
  void theLegacyStreamWaitsForBlockingStreams() {
    MemorySegment blocking = blockingStream();
    Gate gate = hold(blocking);
    fill(device(4), 1, 1, LEGACY);
    expectHeld(LEGACY);
    gate.open();
    synchronize(LEGACY);
    ok(cuda_h.cuStreamQuery(blocking));
  }

  @Test
  void blockingStreamsWaitForTheLegacyStream() {
    MemorySegment blocking = blockingStream();
    Gate gate = hold(LEGACY);
    List<String> order = Collections.synchronizedList(new ArrayList<>());
    hostFunction(LEGACY, () -> order.add("legacy"));
    hostFunction(blocking, () -> order.add("blocking"));
    expectHeld(blocking);
    gate.open();
    synchronize(blocking);
    assertThat(order).containsExactly("legacy", "blocking");
  }

  @Test
  void nonBlockingStreamsAreExemptFromTheLegacyStream() {
    MemorySegment exempt = stream();
    hold(LEGACY);
    fill(device(4), 1, 1, exempt);
    synchronize(exempt);
    expectHeld(LEGACY);
  }

  @Test
  void theStreamOfAThreadIsABlockingOne() {
    Gate gate = hold(LEGACY);
    hostFunction(PER_THREAD, () -> {});
    expectHeld(PER_THREAD);
    gate.open();
    synchronize(PER_THREAD);
    ok(cuda_h.cuStreamQuery(LEGACY));
  }

  @Test
  void theContextWaitsForAllStreams() {
    MemorySegment first = stream();
    MemorySegment second = blockingStream();
    long buffer = device(8);
    for (int i = 0; i < 50; i++) {
      fill(buffer, i, 1, first);
      fill(buffer + 4, i, 1, second);
    }
    ok(cuda_h.cuCtxSynchronize());
    ok(cuda_h.cuStreamQuery(first));
    ok(cuda_h.cuStreamQuery(second));
    assertThat(read(buffer, 2)).containsExactly(49, 49);
  }

  @Test
  void aDestroyedStreamStillDoesItsWork() {
    MemorySegment stream = stream();
    long buffer = ints(0);
    Gate gate = hold(stream);
    fill(buffer, 7, 1, stream);
    MemorySegment event = event();
    record(event, stream);
    ok(cuda_h.cuStreamDestroy_v2(stream));
    expect(Result.INVALID_HANDLE, cuda_h.cuStreamSynchronize(stream));
    gate.open();
    ok(cuda_h.cuEventSynchronize(event));
    assertThat(read(buffer, 1)).containsExactly(7);
  }

  @Test
  void aHostFunctionMayNotCallTheDriver() {
    MemorySegment stream = stream();
    List<Integer> codes = Collections.synchronizedList(new ArrayList<>());
    hostFunction(stream, () -> codes.add(cuda_h.cuCtxSynchronize()));
    synchronize(stream);
    assertThat(codes).containsExactly(Result.NOT_PERMITTED.code());
  }

  @Test
  void attributesAreThoseItWasMadeWith() {
    MemorySegment stream = out(slot -> cuda_h.cuStreamCreateWithPriority(slot, NON_BLOCKING, -99));
    assertThat(outInt(slot -> cuda_h.cuStreamGetFlags(stream, slot))).isEqualTo(NON_BLOCKING);
    assertThat(outInt(slot -> cuda_h.cuStreamGetPriority(stream, slot))).isEqualTo(-5);
    assertThat(out(slot -> cuda_h.cuStreamGetCtx(stream, slot))).isEqualTo(context());
    assertThat(outLong(slot -> cuda_h.cuStreamGetId(stream, slot))).isNotZero();
  }

  @Test
  void badArgumentsAreRefused() {
    MemorySegment slot = arena().allocate(8);
    expect(Result.INVALID_VALUE, cuda_h.cuStreamCreate(slot, 2));
    expect(Result.INVALID_VALUE, cuda_h.cuStreamCreate(MemorySegment.NULL, 0));
    expect(Result.INVALID_HANDLE, cuda_h.cuStreamQuery(MemorySegment.ofAddress(0x1234)));
    expect(Result.INVALID_HANDLE, cuda_h.cuStreamQuery(event()));
    expect(Result.INVALID_HANDLE, cuda_h.cuStreamDestroy_v2(MemorySegment.ofAddress(0x1234)));
  }

  @Test
  void handlesAreNeverUsedTwice() {
    MemorySegment first = stream();
    ok(cuda_h.cuStreamDestroy_v2(first));
    assertThat(stream()).isNotEqualTo(first);
  }
}
