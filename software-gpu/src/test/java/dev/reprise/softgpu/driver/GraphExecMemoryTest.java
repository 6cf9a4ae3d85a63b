package dev.reprise.softgpu.driver;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** An executable graph counts as device memory while it exists. */
class GraphExecMemoryTest extends DriverTest {

  private MemorySegment graphOf(int nodes) {
    MemorySegment graph = out(slot -> cuda_h.cuGraphCreate(slot, 0));
    for (int i = 0; i < nodes; i++) {
      out(slot -> cuda_h.cuGraphAddEmptyNode(slot, graph, MemorySegment.NULL, 0));
    }
    return graph;
  }

  private long free() {
    MemorySegment free = arena().allocate(JAVA_LONG);
    MemorySegment total = arena().allocate(JAVA_LONG);
    ok(cuda_h.cuMemGetInfo_v2(free, total));
    return free.get(JAVA_LONG, 0);
  }

  @Test
  void instantiationTakesMemoryByTheNodeAndDestructionGivesItBack() {
    long before = free();
    MemorySegment small = instantiate(graphOf(10));
    long ten = before - free();
    MemorySegment large = instantiate(graphOf(1000));
    long thousand = before - free() - ten;
    assertThat(ten).isPositive();
    assertThat(thousand).isGreaterThan(50 * ten);
    ok(cuda_h.cuGraphExecDestroy(small));
    ok(cuda_h.cuGraphExecDestroy(large));
    assertThat(free()).isEqualTo(before);
  }

  @Test
  void anExecThatDoesNotFitIsRefusedAndTakesNothing() {
    List<MemorySegment> hoard = new ArrayList<>();
    for (long bytes = Long.highestOneBit(free()); bytes >= 256; bytes /= 2) {
      while (free() >= bytes) {
        long size = bytes;
        hoard.add(out(slot -> cuda_h.cuMemAlloc_v2(slot, size)));
      }
    }
    long left = free();
    MemorySegment graph = graphOf(100);
    MemorySegment slot = arena().allocate(8);
    expect(Result.OUT_OF_MEMORY, cuda_h.cuGraphInstantiateWithFlags(slot, graph, 0));
    assertThat(free()).isEqualTo(left);
    hoard.forEach(address -> ok(cuda_h.cuMemFree_v2(address.address())));
    ok(cuda_h.cuGraphExecDestroy(instantiate(graph)));
  }
}
