package dev.reprise.softgpu.driver;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.reprise.bindings.cuda.CUDA_MEMSET_NODE_PARAMS;
import dev.reprise.bindings.cuda.CUDA_MEM_ALLOC_NODE_PARAMS;
import dev.reprise.bindings.cuda.CUmemLocation;
import dev.reprise.bindings.cuda.CUmemPoolProps;
import dev.reprise.bindings.cuda.cuda_h;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** What tests of memory nodes do all the time. Each starts and ends without spare graph memory. */
abstract class MemoryNodeTest extends DriverTest {

  static final MemorySegment NONE = MemorySegment.NULL;
  static final int USED = 0;
  static final int USED_HIGH = 1;
  static final int RESERVED = 2;
  static final int RESERVED_HIGH = 3;

  @BeforeEach
  @AfterEach
  final void trim() {
    ok(cuda_h.cuDeviceGraphMemTrim(0));
  }

  final MemorySegment graph() {
    return out(slot -> cuda_h.cuGraphCreate(slot, 0));
  }

  /** Parameters of an allocation on the device. */
  final MemorySegment allocation(long bytes) {
    MemorySegment params = CUDA_MEM_ALLOC_NODE_PARAMS.allocate(arena()).fill((byte) 0);
    MemorySegment properties = CUDA_MEM_ALLOC_NODE_PARAMS.poolProps(params);
    CUmemPoolProps.allocType(properties, 1);
    CUmemLocation.type(CUmemPoolProps.location(properties), 1);
    CUDA_MEM_ALLOC_NODE_PARAMS.bytesize(params, bytes);
    return params;
  }

  /** A node and what it allocates. */
  record Allocated(MemorySegment node, long address) {}

  final Allocated allocate(MemorySegment graph, long bytes) {
    MemorySegment params = allocation(bytes);
    MemorySegment node = out(slot -> cuda_h.cuGraphAddMemAllocNode(slot, graph, NONE, 0, params));
    return new Allocated(node, CUDA_MEM_ALLOC_NODE_PARAMS.dptr(params));
  }

  final MemorySegment free(MemorySegment graph, long address, MemorySegment... after) {
    return out(
        slot -> cuda_h.cuGraphAddMemFreeNode(slot, graph, array(after), after.length, address));
  }

  final MemorySegment fillNode(
      MemorySegment graph, long address, int value, int count, MemorySegment... after) {
    MemorySegment params = CUDA_MEMSET_NODE_PARAMS.allocate(arena());
    CUDA_MEMSET_NODE_PARAMS.dst(params, address);
    CUDA_MEMSET_NODE_PARAMS.value(params, value);
    CUDA_MEMSET_NODE_PARAMS.elementSize(params, 4);
    CUDA_MEMSET_NODE_PARAMS.width(params, count);
    CUDA_MEMSET_NODE_PARAMS.height(params, 1);
    return out(slot ->
        cuda_h.cuGraphAddMemsetNode(slot, graph, array(after), after.length, params, context()));
  }

  final MemorySegment array(MemorySegment... nodes) {
    MemorySegment array = arena().allocate(ADDRESS, Math.max(1, nodes.length));
    for (int i = 0; i < nodes.length; i++) {
      array.setAtIndex(ADDRESS, i, nodes[i]);
    }
    return array;
  }

  final MemorySegment instantiate(MemorySegment graph, long flags) {
    return out(exec -> cuda_h.cuGraphInstantiateWithFlags(exec, graph, flags));
  }

  static void launch(MemorySegment exec, MemorySegment stream) {
    ok(cuda_h.cuGraphLaunch(exec, stream));
  }

  final long allocateAsync(long bytes, MemorySegment stream) {
    return outLong(slot -> cuda_h.cuMemAllocAsync(slot, bytes, stream));
  }

  final long attribute(int attribute) {
    return outLong(slot -> cuda_h.cuDeviceGetGraphMemAttribute(0, attribute, slot));
  }

  final void reset(int attribute) {
    ok(cuda_h.cuDeviceSetGraphMemAttribute(0, attribute, arena().allocateFrom(JAVA_LONG, 0)));
  }
}
