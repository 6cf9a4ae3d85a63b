package dev.reprise.cuda;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.cuda.diagnostics.Diagnostics;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/**
 * What a launch, a replay and a copy to the device allocate on the Java heap, up to and including
 * the native call.
 *
 * <p>A driver written in Java may allocate on the calling thread. So the native calls go, with the
 * signatures of the driver's, to a function of the C library that ignores its arguments and answers
 * 0; everything before it is what runs in production.
 */
final class HotPathAllocationTest extends GpuTest {

  private static final int CALLS = 10_000;
  private static final int WARM_UP = 20_000;
  private static final int MAX_ROUNDS = 100;

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  /** Calls a native function that does nothing, if switched on; else the driver. */
  private static final class Detour implements HotCalls {
    private static final MemorySegment NOTHING =
        Linker.nativeLinker().defaultLookup().findOrThrow("sched_yield");
    private static final MethodHandle SET_CURRENT =
        Linker.nativeLinker().downcallHandle(NOTHING, cuda_h.cuCtxSetCurrent$descriptor());
    private static final MethodHandle LAUNCH =
        Linker.nativeLinker().downcallHandle(NOTHING, cuda_h.cuLaunchKernel$descriptor());
    private static final MethodHandle LAUNCH_GRAPH =
        Linker.nativeLinker().downcallHandle(NOTHING, cuda_h.cuGraphLaunch$descriptor());
    private static final MethodHandle COPY =
        Linker.nativeLinker()
            .downcallHandle(
                NOTHING, FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, ADDRESS));

    boolean on;
    long calls;

    @Override
    public int setCurrent(MemorySegment context) {
      if (!on) {
        return HotCalls.DRIVER.setCurrent(context);
      }
      try {
        return (int) SET_CURRENT.invokeExact(context);
      } catch (Throwable e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public int launch(
        MemorySegment function,
        LaunchConfig config,
        MemorySegment stream,
        MemorySegment parameters) {
      if (!on) {
        return HotCalls.DRIVER.launch(function, config, stream, parameters);
      }
      calls++;
      try {
        return (int)
            LAUNCH.invokeExact(
                function,
                config.gridX(),
                config.gridY(),
                config.gridZ(),
                config.blockX(),
                config.blockY(),
                config.blockZ(),
                config.dynamicSharedBytes(),
                stream,
                parameters,
                MemorySegment.NULL);
      } catch (Throwable e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public int launchExtended(
        MemorySegment function,
        MemorySegment config,
        MemorySegment stream,
        MemorySegment parameters) {
      return HotCalls.DRIVER.launchExtended(function, config, stream, parameters);
    }

    @Override
    public int launchGraph(MemorySegment exec, MemorySegment stream) {
      if (!on) {
        return HotCalls.DRIVER.launchGraph(exec, stream);
      }
      calls++;
      try {
        return (int) LAUNCH_GRAPH.invokeExact(exec, stream);
      } catch (Throwable e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public int copyToDevice(long target, long source, long bytes, MemorySegment stream) {
      if (!on) {
        return HotCalls.DRIVER.copyToDevice(target, source, bytes, stream);
      }
      calls++;
      try {
        return (int) COPY.invokeExact(target, source, bytes, stream);
      } catch (Throwable e) {
        throw new AssertionError(e);
      }
    }
  }

  @Test
  void copiesOfPageLockedMemoryAllocateNothing() {
    Detour detour = new Detour();
    try (Device own = Device.open(0, new Diagnostics(false, listener), detour);
        Stream queue = own.createStream("queue");
        PinnedBuffer from = own.allocatePinned("from", 4096);
        DeviceBuffer to = own.allocate("to", 4096)) {
      detour.on = true;
      Runnable copies =
          () -> {
            for (int i = 0; i < CALLS; i++) {
              queue.copyToDevice(from, 4L * (i & 511), to, 4L * (i & 255), 64);
            }
          };
      for (int i = 0; i < WARM_UP; i += CALLS) {
        copies.run();
      }
      detour.calls = 0;
      long byCopies = allocatedBy(copies);
      assertThat(detour.calls).isBetween(1L * CALLS, 1L * MAX_ROUNDS * CALLS);
      assertThat(byCopies).as("bytes allocated by %d copies", CALLS).isZero();
      detour.on = false;
    }
  }

  /**
   * Bytes that some round of calls allocates: 0, if it is so in any round.
   *
   * <p>The VM allocates on the thread it serves. When it throws compiled code away in the middle of
   * a loop, because a class was loaded or a branch was taken for the first time, it makes the
   * objects that the compiler had reduced to registers: some bytes, once for each such event, and
   * later the busier the machine is. A call that allocates does so in each round, so that none of
   * them gives 0.
   */
  private static long allocatedBy(Runnable calls) {
    long thread = Thread.currentThread().threadId();
    // The counter itself must be warm too.
    THREADS.getThreadAllocatedBytes(thread);
    long least = Long.MAX_VALUE;
    for (int round = 0; round < MAX_ROUNDS && least > 0; round++) {
      long before = THREADS.getThreadAllocatedBytes(thread);
      calls.run();
      least = Math.min(least, THREADS.getThreadAllocatedBytes(thread) - before);
    }
    return least;
  }

  @Test
  void launchesAndReplaysAllocateNothing() {
    Detour detour = new Detour();
    try (Device own = Device.open(0, new Diagnostics(false, listener), detour);
        CudaModule code = own.loadModule("code", ptx());
        Stream queue = own.createStream("queue");
        DeviceBuffer x = own.allocate("x", 1024);
        DeviceBuffer y = own.allocate("y", 1024)) {
      PreparedLaunch scale =
          code.kernel("scale")
              .prepare(
                  LaunchConfig.of(4, 64),
                  KernelArg.write(y),
                  KernelArg.read(x),
                  KernelArg.f32(2),
                  KernelArg.i32(256));
      try (Graph graph = queue.capture(capture -> scale.launch(queue));
          GraphExec exec = graph.instantiate()) {
        detour.on = true;
        Runnable launches =
            () -> {
              for (int i = 0; i < CALLS; i++) {
                scale.setI32(3, i);
                scale.launch(queue);
              }
            };
        Runnable replays =
            () -> {
              for (int i = 0; i < CALLS; i++) {
                exec.replay(queue);
              }
            };
        for (int i = 0; i < WARM_UP; i += CALLS) {
          launches.run();
          replays.run();
        }
        detour.calls = 0;
        long byLaunches = allocatedBy(launches);
        long byReplays = allocatedBy(replays);
        assertThat(detour.calls).isBetween(2L * CALLS, 2L * MAX_ROUNDS * CALLS);
        assertThat(detour.calls % CALLS).isZero();
        assertThat(byLaunches).as("bytes allocated by %d launches", CALLS).isZero();
        assertThat(byReplays).as("bytes allocated by %d replays", CALLS).isZero();
        detour.on = false;
      }
    }
  }
}
