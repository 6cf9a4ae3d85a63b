package dev.reprise.softgpu.driver;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.CUDA_MEMCPY3D_BATCH_OP;
import dev.reprise.bindings.cuda.CUmemcpy3DOperand;
import dev.reprise.bindings.cuda.CUmemcpyAttributes;
import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** Many copies in one call. */
class BatchCopyTest extends DriverTest {

  private static final int IN_STREAM = 1;
  private static final int DURING_CALL = 2;

  private MemorySegment longs(long... values) {
    return arena().allocateFrom(JAVA_LONG, values);
  }

  private MemorySegment orders(int... orders) {
    MemorySegment attributes = CUmemcpyAttributes.allocateArray(orders.length, arena());
    for (int i = 0; i < orders.length; i++) {
      CUmemcpyAttributes.srcAccessOrder(CUmemcpyAttributes.asSlice(attributes, i), orders[i]);
    }
    return attributes;
  }

  private int copy(
      MemorySegment to, MemorySegment from, MemorySegment sizes, int order, MemorySegment stream) {
    return cuda_h.cuMemcpyBatchAsync_v2(
        to, from, sizes, sizes.byteSize() / 8, orders(order), longs(0), 1, stream);
  }

  @Test
  void allAreDoneInStreamOrder() {
    MemorySegment stream = stream();
    long source = ints(1, 2, 3, 4);
    long destination = ints(0, 0, 0, 0);
    Gate gate = hold(stream);
    fill(source, 9, 1, stream);
    ok(
        copy(
            longs(destination + 12, destination),
            longs(source, source + 4),
            longs(4, 12),
            IN_STREAM,
            stream));
    gate.open();
    synchronize(stream);
    assertThat(read(destination, 4)).containsExactly(2, 3, 4, 9);
  }

  @Test
  void aSourceCanBeReadDuringTheCall() {
    MemorySegment stream = stream();
    long destination = device(4);
    MemorySegment host = arena().allocateFrom(JAVA_INT, 5);
    ok(copy(longs(destination), longs(host.address()), longs(4), DURING_CALL, stream));
    host.set(JAVA_INT, 0, 6);
    synchronize(stream);
    assertThat(read(destination, 1)).containsExactly(5);
  }

  @Test
  void attributesApplyFromTheirIndexOn() {
    MemorySegment stream = stream();
    long source = ints(1, 2, 3);
    long destination = ints(0, 0, 0);
    MemorySegment to = longs(destination, destination + 4, destination + 8);
    MemorySegment from = longs(source, source + 4, source + 8);
    MemorySegment sizes = longs(4, 4, 4);
    MemorySegment two = orders(IN_STREAM, DURING_CALL);
    ok(cuda_h.cuMemcpyBatchAsync_v2(to, from, sizes, 3, two, longs(0, 2), 2, stream));
    synchronize(stream);
    assertThat(read(destination, 3)).containsExactly(1, 2, 3);
    for (MemorySegment wrong :
        new MemorySegment[] {longs(1, 2), longs(0, 0), longs(0, 3), MemorySegment.NULL}) {
      expect(
          Result.INVALID_VALUE,
          cuda_h.cuMemcpyBatchAsync_v2(to, from, sizes, 3, two, wrong, 2, stream));
    }
    expect(
        Result.INVALID_VALUE,
        cuda_h.cuMemcpyBatchAsync_v2(to, from, sizes, 1, two, longs(0, 1), 2, stream));
    expect(
        Result.INVALID_VALUE,
        cuda_h.cuMemcpyBatchAsync_v2(to, from, sizes, 3, orders(0), longs(0), 1, stream));
  }

  @Test
  void aWrongCopyIsNamedAndNoneIsDone() {
    MemorySegment stream = stream();
    long source = ints(1, 2);
    long destination = ints(0, 0);
    MemorySegment failed = longs(77);
    expect(
        Result.INVALID_VALUE,
        cuda_h.cuMemcpyBatchAsync(
            longs(destination, destination + 4),
            longs(source, source + 1000),
            longs(4, 4),
            2,
            orders(IN_STREAM),
            longs(0),
            1,
            failed,
            stream));
    assertThat(failed.get(JAVA_LONG, 0)).isEqualTo(1);
    synchronize(stream);
    assertThat(read(destination, 2)).containsExactly(0, 0);
    expect(
        Result.INVALID_VALUE,
        cuda_h.cuMemcpyBatchAsync(
            longs(0), longs(0), longs(4), 0, orders(1), longs(0), 1, failed, stream));
    assertThat(failed.get(JAVA_LONG, 0)).as("not the fault of one copy").isEqualTo(-1);
  }

  @Test
  void theLegacyStreamTakesNone() {
    long memory = ints(1, 0);
    expect(
        Result.INVALID_VALUE,
        copy(longs(memory + 4), longs(memory), longs(4), IN_STREAM, MemorySegment.NULL));
    ok(copy(longs(memory + 4), longs(memory), longs(4), IN_STREAM, MemorySegment.ofAddress(2)));
    synchronize(MemorySegment.ofAddress(2));
    assertThat(read(memory, 2)).containsExactly(1, 1);
  }

  private MemorySegment operand(long pointer, long rowLength, long layerHeight) {
    MemorySegment operand = CUmemcpy3DOperand.allocate(arena());
    CUmemcpy3DOperand.type(operand, 1);
    operand.set(JAVA_LONG, 8, pointer);
    operand.set(JAVA_LONG, 16, rowLength);
    operand.set(JAVA_LONG, 24, layerHeight);
    return operand;
  }

  private MemorySegment box(MemorySegment dst, MemorySegment src, long... extent) {
    MemorySegment op = CUDA_MEMCPY3D_BATCH_OP.allocate(arena());
    CUDA_MEMCPY3D_BATCH_OP.dst(op, dst);
    CUDA_MEMCPY3D_BATCH_OP.src(op, src);
    MemorySegment.copy(MemorySegment.ofArray(extent), 0, CUDA_MEMCPY3D_BATCH_OP.extent(op), 0, 24);
    CUDA_MEMCPY3D_BATCH_OP.srcAccessOrder(op, IN_STREAM);
    return op;
  }

  @Test
  void boxesHaveRowsAndLayers() {
    MemorySegment stream = stream();
    // Two layers of two rows of three numbers; the first number of each row is taken.
    long source = ints(1, 0, 0, 2, 0, 0, 3, 0, 0, 4, 0, 0);
    long destination = ints(0, 0, 0, 0);
    MemorySegment op = box(operand(destination, 0, 0), operand(source, 12, 2), 4, 2, 2);
    ok(cuda_h.cuMemcpy3DBatchAsync_v2(1, op, 0, stream));
    synchronize(stream);
    assertThat(read(destination, 4)).containsExactly(1, 2, 3, 4);
    MemorySegment narrow = box(operand(destination, 0, 0), operand(source, 3, 2), 4, 2, 2);
    MemorySegment failed = longs(77);
    expect(Result.INVALID_VALUE, cuda_h.cuMemcpy3DBatchAsync(1, narrow, failed, 0, stream));
    assertThat(failed.get(JAVA_LONG, 0)).isZero();
    expect(
        Result.INVALID_VALUE,
        cuda_h.cuMemcpy3DBatchAsync_v2(
            1, box(operand(destination, 0, 0), operand(source, 0, 0), 4, 0, 1), 0, stream));
    expect(Result.INVALID_VALUE, cuda_h.cuMemcpy3DBatchAsync_v2(1, op, 1, stream));
  }

  @Test
  void captureMakesANodeOfEach() {
    MemorySegment stream = stream();
    long memory = ints(1, 2, 0, 0);
    begin(stream, THREAD_LOCAL);
    ok(
        copy(
            longs(memory + 8, memory + 12),
            longs(memory, memory + 4),
            longs(4, 4),
            DURING_CALL,
            stream));
    MemorySegment graph = end(stream);
    assertThat(nodes(graph)).hasSize(2);
    ok(cuda_h.cuGraphLaunch(instantiate(graph), stream));
    synchronize(stream);
    assertThat(read(memory, 4)).containsExactly(1, 2, 1, 2);
  }
}
