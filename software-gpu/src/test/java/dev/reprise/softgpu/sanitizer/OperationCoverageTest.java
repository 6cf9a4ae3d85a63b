package dev.reprise.softgpu.sanitizer;

import static dev.reprise.softgpu.sanitizer.InstructionCoverageTest.kinds;
import static dev.reprise.softgpu.sanitizer.ReportKind.FREE_IN_USE;
import static dev.reprise.softgpu.sanitizer.ReportKind.GRAPH_RACE;
import static dev.reprise.softgpu.sanitizer.ReportKind.STREAM_RACE;
import static dev.reprise.softgpu.sanitizer.ReportKind.UNINITIALISED_READ;
import static dev.reprise.softgpu.sanitizer.ReportKind.USE_AFTER_FREE;
import static dev.reprise.softgpu.sanitizer.ReportKind.USE_BEFORE_ALLOCATION;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.CUDA_MEMCPY2D;
import dev.reprise.bindings.cuda.CUDA_MEMCPY3D;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** Driver operations beyond plain copies and fills are seen, in streams and in graphs. */
class OperationCoverageTest {

  private static final int DEVICE = 2;
  private static final int N = 64;

  /** Copies the first of every two numbers, so many rows. */
  private static void copyRows(SanitizedProgram p, long to, long from, int rows, long stream) {
    MemorySegment params = CUDA_MEMCPY2D.allocate(Arena.ofAuto());
    CUDA_MEMCPY2D.srcMemoryType(params, DEVICE);
    CUDA_MEMCPY2D.srcDevice(params, from);
    CUDA_MEMCPY2D.srcPitch(params, 8);
    CUDA_MEMCPY2D.dstMemoryType(params, DEVICE);
    CUDA_MEMCPY2D.dstDevice(params, to);
    CUDA_MEMCPY2D.dstPitch(params, 8);
    CUDA_MEMCPY2D.WidthInBytes(params, 4);
    CUDA_MEMCPY2D.Height(params, rows);
    p.ok("cuMemcpy2DAsync_v2", params, stream);
  }

  @Test
  void aCopyOfRowsTouchesItsRowsAndNotTheGaps() {
    assertThat(kinds(p -> fillBesideRows(p, 8))).containsExactly(STREAM_RACE);
    assertThat(kinds(p -> fillBesideRows(p, 4))).as("between two rows").isEmpty();
  }

  private static void fillBesideRows(SanitizedProgram p, int offset) {
    long one = p.stream();
    long two = p.stream();
    long from = p.filled(N);
    long to = p.filled(N);
    copyRows(p, to, from, 4, one);
    p.set(to + offset, 3, 1, two);
    p.sync(one);
    p.sync(two);
  }

  @Test
  void aCopyOfRowsBringsWhatItsSourceHolds() {
    assertThat(kinds(p -> readRows(p, 2 * N))).isEmpty();
    assertThat(kinds(p -> readRows(p, 2 * N - 2))).containsExactly(UNINITIALISED_READ);
  }

  private static void readRows(SanitizedProgram p, int written) {
    long s = p.stream();
    long from = p.allocate(2 * N);
    long to = p.filled(2 * N);
    p.set(from, 1, written, s);
    copyRows(p, to, from, N, s);
    p.launch("add", 1, 2 * N, 0, s, p.allocate(2 * N), to, 1, 2 * N);
    p.sync(s);
  }

  @Test
  void aCopyOfSlicesNeedsAnOrderToo() {
    assertThat(kinds(p -> fillBesideSlices(p, 36))).containsExactly(STREAM_RACE);
    assertThat(kinds(p -> fillBesideSlices(p, 40))).as("between two slices").isEmpty();
  }

  /** Two slices, 64 bytes apart, of two rows, 32 bytes apart, of two numbers. */
  private static void fillBesideSlices(SanitizedProgram p, int offset) {
    long one = p.stream();
    long two = p.stream();
    long from = p.filled(N);
    long to = p.filled(N);
    MemorySegment params = CUDA_MEMCPY3D.allocate(Arena.ofAuto());
    CUDA_MEMCPY3D.srcMemoryType(params, DEVICE);
    CUDA_MEMCPY3D.srcDevice(params, from);
    CUDA_MEMCPY3D.srcPitch(params, 32);
    CUDA_MEMCPY3D.srcHeight(params, 2);
    CUDA_MEMCPY3D.dstMemoryType(params, DEVICE);
    CUDA_MEMCPY3D.dstDevice(params, to);
    CUDA_MEMCPY3D.dstPitch(params, 32);
    CUDA_MEMCPY3D.dstHeight(params, 2);
    CUDA_MEMCPY3D.WidthInBytes(params, 8);
    CUDA_MEMCPY3D.Height(params, 2);
    CUDA_MEMCPY3D.Depth(params, 2);
    p.ok("cuMemcpy3DAsync_v2", params, one);
    p.set(to + offset, 3, 1, two);
    p.sync(one);
    p.sync(two);
  }

  @Test
  void aValueThatIsWrittenCanBeRead() {
    assertThat(
            kinds(p -> {
              long s = p.stream();
              long in = p.allocate(1);
              p.ok("cuStreamWriteValue32_v2", s, in, 5, 0);
              p.launch("add", 1, 1, 0, s, p.allocate(1), in, 1, 1);
              p.sync(s);
            }))
        .isEmpty();
  }

  @Test
  void aValueThatNothingWroteIsNotWaitedFor() {
    assertThat(kinds(p -> waitForValue(p, p.allocate(1)))).containsExactly(UNINITIALISED_READ);
    assertThat(kinds(p -> waitForValue(p, p.filled(1)))).isEmpty();
  }

  /** Waits until the value is at least 0, which every one is. */
  private static void waitForValue(SanitizedProgram p, long address) {
    long s = p.stream();
    p.ok("cuStreamWaitValue32_v2", s, address, 0, 0);
    p.sync(s);
  }

  @Test
  void memoryOfAValueIsFreedAfterItsUse() {
    // It depends on what runs first, but is found either way.
    assertThat(kinds(p -> freeBesideAWrite(p, false)))
        .isNotEmpty()
        .isSubsetOf(FREE_IN_USE, USE_AFTER_FREE);
    assertThat(kinds(p -> freeBesideAWrite(p, true))).isEmpty();
  }

  private static void freeBesideAWrite(SanitizedProgram p, boolean ordered) {
    long one = p.stream();
    long two = p.stream();
    long memory = p.allocateAsync(1, one);
    p.sync(one);
    p.ok("cuStreamWriteValue32_v2", one, memory, 5, 0);
    if (ordered) {
      long event = p.event();
      p.record(event, one);
      p.waitFor(two, event);
    }
    p.freeAsync(memory, two);
    p.finish(two);
  }

  @Test
  void fillNodesOfTwoBranchesNeedAnOrder() {
    assertThat(kinds(p -> branches(p, 0))).containsExactly(GRAPH_RACE);
    assertThat(kinds(p -> branches(p, 4))).as("different numbers").isEmpty();
  }

  private static void branches(SanitizedProgram p, int offset) {
    long one = p.stream();
    long two = p.stream();
    long memory = p.filled(N);
    long fork = p.event();
    long join = p.event();
    p.begin(one);
    p.record(fork, one);
    p.waitFor(two, fork);
    p.set(memory, 1, 1, one);
    p.set(memory + offset, 2, 1, two);
    p.record(join, two);
    p.waitFor(one, join);
    p.replay(p.end(one), one);
    p.sync(one);
  }

  @Test
  void memoryOfAGraphIsUsedBehindItsAllocation() {
    assertThat(kinds(p -> graphMemory(p, false, true))).containsExactly(USE_BEFORE_ALLOCATION);
    assertThat(kinds(p -> graphMemory(p, true, true))).isEmpty();
  }

  @Test
  void memoryOfAGraphIsFreedBehindItsUse() {
    assertThat(kinds(p -> graphMemory(p, true, false))).containsExactly(FREE_IN_USE);
  }

  /** One branch uses what the other allocates and frees. */
  private static void graphMemory(SanitizedProgram p, boolean afterAllocation, boolean beforeFree) {
    long one = p.stream();
    long two = p.stream();
    long fork = p.event();
    long join = p.event();
    long other = p.filled(1);
    p.begin(one);
    p.set(other, 1, 1, one);
    p.record(fork, one);
    long memory = p.allocateAsync(N, one);
    if (afterAllocation) {
      p.record(fork, one);
    }
    p.waitFor(two, fork);
    p.set(memory, 1, N, two);
    p.record(join, two);
    if (beforeFree) {
      p.waitFor(one, join);
    }
    p.freeAsync(memory, one);
    if (!beforeFree) {
      p.waitFor(one, join);
    }
    p.replay(p.end(one), one);
    p.finish(one);
  }
}
