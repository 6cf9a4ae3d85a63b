package dev.reprise.softgpu.driver;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.CUDA_BATCH_MEM_OP_NODE_PARAMS;
import dev.reprise.bindings.cuda.CUgraphNodeParams;
import dev.reprise.bindings.cuda.CUstreamBatchMemOpParams;
import dev.reprise.bindings.cuda.CUstreamBatchMemOpParams_union.CUstreamMemOpMemoryBarrierParams_st;
import dev.reprise.bindings.cuda.CUstreamBatchMemOpParams_union.CUstreamMemOpWaitValueParams_st;
import dev.reprise.bindings.cuda.CUstreamBatchMemOpParams_union.CUstreamMemOpWriteValueParams_st;
import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** Batches of waits and writes of numbers in memory, in streams and as nodes. */
class BatchMemoryOperationTest extends DriverTest {

  private static final MemorySegment NONE = MemorySegment.NULL;
  private static final int BATCH_MEM_OP = 12;
  private static final int WAIT_32 = 1;
  private static final int WRITE_32 = 2;
  private static final int FLUSH = 3;
  private static final int WRITE_64 = 5;
  private static final int BARRIER = 6;
  private static final int EQ = 1;

  private interface Entry {
    void write(MemorySegment p);
  }

  private static Entry await(long address, int value) {
    return p -> {
      CUstreamBatchMemOpParams.operation(p, WAIT_32);
      MemorySegment wait = CUstreamBatchMemOpParams.waitValue(p);
      CUstreamMemOpWaitValueParams_st.address(wait, address);
      CUstreamMemOpWaitValueParams_st.value(wait, value);
      CUstreamMemOpWaitValueParams_st.flags(wait, EQ);
    };
  }

  private static Entry write(int operation, long address, long value) {
    return p -> {
      CUstreamBatchMemOpParams.operation(p, operation);
      MemorySegment write = CUstreamBatchMemOpParams.writeValue(p);
      CUstreamMemOpWriteValueParams_st.address(write, address);
      CUstreamMemOpWriteValueParams_st.value64(write, value);
    };
  }

  private static Entry plain(int operation, int flags) {
    return p -> {
      CUstreamBatchMemOpParams.operation(p, operation);
      CUstreamMemOpMemoryBarrierParams_st.flags(CUstreamBatchMemOpParams.memoryBarrier(p), flags);
    };
  }

  private MemorySegment batch(Entry... entries) {
    MemorySegment array = CUstreamBatchMemOpParams.allocateArray(entries.length, arena());
    for (int i = 0; i < entries.length; i++) {
      entries[i].write(CUstreamBatchMemOpParams.asSlice(array, i));
    }
    return array;
  }

  private MemorySegment nodeParams(Entry... entries) {
    MemorySegment params = CUDA_BATCH_MEM_OP_NODE_PARAMS.allocate(arena());
    CUDA_BATCH_MEM_OP_NODE_PARAMS.ctx(params, context());
    CUDA_BATCH_MEM_OP_NODE_PARAMS.count(params, entries.length);
    CUDA_BATCH_MEM_OP_NODE_PARAMS.paramArray(params, batch(entries));
    return params;
  }

  private MemorySegment graph() {
    return out(slot -> cuda_h.cuGraphCreate(slot, 0));
  }

  @Test
  void aBatchRunsInItsOrder() {
    MemorySegment stream = stream();
    MemorySegment flag = pinned(4);
    long target = ints(0, 0, 0, 0);
    MemorySegment array =
        batch(
            write(WRITE_32, target, 7),
            plain(BARRIER, 1),
            await(flag.address(), 3),
            write(WRITE_64, target + 8, 1L << 32));
    ok(cuda_h.cuStreamBatchMemOp_v2(stream, 4, array, 0));
    expectHeld(stream);
    flag.set(JAVA_INT, 0, 3);
    synchronize(stream);
    assertThat(read(target, 4)).containsExactly(7, 0, 0, 1);
  }

  @Test
  void aNodeWaitsAtEachLaunch() {
    MemorySegment stream = stream();
    MemorySegment flag = pinned(4);
    long target = ints(0);
    MemorySegment graph = graph();
    MemorySegment params = nodeParams(await(flag.address(), 1), write(WRITE_32, target, 9));
    MemorySegment node = out(slot -> cuda_h.cuGraphAddBatchMemOpNode(slot, graph, NONE, 0, params));
    assertThat(nodeType(node)).isEqualTo(BATCH_MEM_OP);
    MemorySegment exec = instantiate(graph);
    for (int launch = 0; launch < 2; launch++) {
      flag.set(JAVA_INT, 0, 0);
      ok(cuda_h.cuGraphLaunch(exec, stream));
      expectHeld(stream);
      flag.set(JAVA_INT, 0, 1);
      synchronize(stream);
      assertThat(read(target, 1)).containsExactly(9);
      fill(target, 0, 1, NONE);
      ok(cuda_h.cuCtxSynchronize());
    }
  }

  @Test
  void aNodeTellsWhatItDoesAndCanDoAnotherThing() {
    long target = ints(0, 0);
    MemorySegment graph = graph();
    MemorySegment params = CUgraphNodeParams.allocate(arena());
    CUgraphNodeParams.type(params, BATCH_MEM_OP);
    CUgraphNodeParams.memOp(params)
        .copyFrom(nodeParams(write(WRITE_32, target, 5), plain(BARRIER, 1)));
    MemorySegment node = out(slot -> cuda_h.cuGraphAddNode_v2(slot, graph, NONE, NONE, 0, params));
    MemorySegment told = CUDA_BATCH_MEM_OP_NODE_PARAMS.allocate(arena());
    ok(cuda_h.cuGraphBatchMemOpNodeGetParams(node, told));
    assertThat(CUDA_BATCH_MEM_OP_NODE_PARAMS.count(told)).isEqualTo(2);
    MemorySegment array =
        CUDA_BATCH_MEM_OP_NODE_PARAMS
            .paramArray(told)
            .reinterpret(2 * CUstreamBatchMemOpParams.sizeof());
    MemorySegment write =
        CUstreamBatchMemOpParams.writeValue(CUstreamBatchMemOpParams.asSlice(array, 0));
    assertThat(CUstreamMemOpWriteValueParams_st.operation(write)).isEqualTo(WRITE_32);
    assertThat(CUstreamMemOpWriteValueParams_st.address(write)).isEqualTo(target);
    assertThat(CUstreamMemOpWriteValueParams_st.value(write)).isEqualTo(5);

    MemorySegment exec = instantiate(graph);
    MemorySegment other = nodeParams(write(WRITE_32, target + 4, 6), plain(BARRIER, 0));
    ok(cuda_h.cuGraphExecBatchMemOpNodeSetParams(exec, node, other));
    MemorySegment stream = stream();
    ok(cuda_h.cuGraphLaunch(exec, stream));
    synchronize(stream);
    assertThat(read(target, 2)).containsExactly(0, 6);
    ok(cuda_h.cuGraphBatchMemOpNodeSetParams(node, nodeParams(write(WRITE_64, target, -1))));
    ok(cuda_h.cuGraphExecDestroy(exec));
    ok(cuda_h.cuGraphLaunch(instantiate(graph), stream));
    synchronize(stream);
    assertThat(read(target, 2)).containsExactly(-1, -1);
  }

  @Test
  void anExecKeepsTheNumberAndTypesOfOperations() {
    long target = ints(0, 0);
    MemorySegment graph = graph();
    MemorySegment params = nodeParams(write(WRITE_32, target, 5));
    MemorySegment node = out(slot -> cuda_h.cuGraphAddBatchMemOpNode(slot, graph, NONE, 0, params));
    MemorySegment exec = instantiate(graph);
    for (MemorySegment wrong :
        new MemorySegment[] {
          nodeParams(write(WRITE_64, target, 5)),
          nodeParams(write(WRITE_32, target, 5), write(WRITE_32, target, 6))
        }) {
      expect(Result.INVALID_VALUE, cuda_h.cuGraphExecBatchMemOpNodeSetParams(exec, node, wrong));
    }
  }

  @Test
  void inACaptureTheyBecomeANode() {
    MemorySegment stream = stream();
    long target = ints(0, 0);
    begin(stream, THREAD_LOCAL);
    ok(cuda_h.cuStreamWriteValue32_v2(stream, target, 4, 0));
    ok(cuda_h.cuStreamBatchMemOp_v2(stream, 1, batch(write(WRITE_32, target + 4, 5)), 0));
    MemorySegment graph = end(stream);
    assertThat(nodes(graph))
        .hasSize(2)
        .allSatisfy(node -> assertThat(nodeType(node)).isEqualTo(BATCH_MEM_OP));
    assertThat(read(target, 2)).containsExactly(0, 0);
    ok(cuda_h.cuGraphLaunch(instantiate(graph), stream));
    synchronize(stream);
    assertThat(read(target, 2)).containsExactly(4, 5);
  }

  @Test
  void whatCannotBeIsRefused() {
    MemorySegment stream = stream();
    long target = ints(0, 0);
    MemorySegment good = batch(write(WRITE_32, target, 1));
    expect(Result.INVALID_VALUE, cuda_h.cuStreamBatchMemOp_v2(stream, 0, good, 0));
    expect(Result.INVALID_VALUE, cuda_h.cuStreamBatchMemOp_v2(stream, 256, good, 0));
    expect(Result.INVALID_VALUE, cuda_h.cuStreamBatchMemOp_v2(stream, 1, good, 1));
    expect(Result.INVALID_VALUE, cuda_h.cuStreamBatchMemOp_v2(stream, 1, NONE, 0));
    expectBatch(Result.INVALID_VALUE, stream, write(WRITE_64, target + 4, 1));
    expectBatch(Result.INVALID_VALUE, stream, write(WRITE_32, target + 8, 1));
    expectBatch(Result.INVALID_VALUE, stream, plain(BARRIER, 2));
    expectBatch(Result.INVALID_VALUE, stream, plain(99, 0));
    expectBatch(Result.NOT_SUPPORTED, stream, plain(FLUSH, 0));
    MemorySegment params = nodeParams(write(WRITE_32, target, 1));
    CUDA_BATCH_MEM_OP_NODE_PARAMS.ctx(params, NONE);
    MemorySegment slot = arena().allocate(ADDRESS);
    expect(Result.INVALID_VALUE, cuda_h.cuGraphAddBatchMemOpNode(slot, graph(), NONE, 0, params));
    // Nothing of a batch runs when one of it is refused.
    expect(
        Result.INVALID_VALUE,
        cuda_h.cuStreamBatchMemOp_v2(
            stream, 2, batch(write(WRITE_32, target, 1), plain(99, 0)), 0));
    synchronize(stream);
    assertThat(read(target, 1)).containsExactly(0);
  }

  private void expectBatch(Result expected, MemorySegment stream, Entry entry) {
    expect(expected, cuda_h.cuStreamBatchMemOp_v2(stream, 1, batch(entry), 0));
  }
}
