package dev.reprise.softgpu.driver;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.CUDA_KERNEL_NODE_PARAMS_v2;
import dev.reprise.bindings.cuda.CUlaunchAttribute;
import dev.reprise.bindings.cuda.CUlaunchConfig;
import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Kernel launches in streams and graphs. */
class LaunchTest extends DriverTest {

  private static final MemorySegment NONE = MemorySegment.NULL;

  @Test
  void aKernelWritesMemory() {
    MemorySegment stream = stream();
    long buffer = device(4000);
    launch(kernel(probe(), "fill"), 8, 128, stream, buffer, 42, 1000);
    synchronize(stream);
    int[] expected = new int[1000];
    Arrays.fill(expected, 42);
    assertThat(read(buffer, 1000)).isEqualTo(expected);
  }

  @Test
  void parametersOfAllSizesArriveWhereTheyBelong() {
    MemorySegment stream = stream();
    long buffer = device(32);
    launch(kernel(probe(), "mixed"), 1, 1, stream, buffer, (byte) -3, 1L << 40, (short) -4, 5.0);
    synchronize(stream);
    MemorySegment host = arena().allocate(32);
    ok(cuda_h.cuMemcpyDtoH_v2(host, buffer, 32));
    assertThat(host.toArray(JAVA_LONG)).containsExactly(-3, 1L << 40, -4, 5);
  }

  @Test
  void parametersMayComeInOneBuffer() {
    MemorySegment stream = stream();
    MemorySegment fill = kernel(probe(), "fill");
    long buffer = ints(0, 0);
    MemorySegment block = arena().allocate(16, 8);
    block.set(JAVA_LONG, 0, buffer);
    block.set(JAVA_INT, 8, 6);
    block.set(JAVA_INT, 12, 2);
    ok(launchFromBuffer(fill, stream, block, 16));
    synchronize(stream);
    assertThat(read(buffer, 2)).containsExactly(6, 6);
    expect(Result.LAUNCH_OUT_OF_RESOURCES, launchFromBuffer(fill, stream, block, 12));
    expect(Result.LAUNCH_OUT_OF_RESOURCES, launchFromBuffer(fill, stream, block, 32));
  }

  private int launchFromBuffer(
      MemorySegment kernel, MemorySegment stream, MemorySegment block, long size) {
    MemorySegment extra =
        arena()
            .allocateFrom(
                JAVA_LONG,
                1,
                block.address(),
                2,
                arena().allocateFrom(JAVA_LONG, size).address(),
                0);
    return cuda_h.cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, stream, NONE, extra);
  }

  @Test
  void parametersAreCopiedWhenTheCallIsMade() {
    MemorySegment stream = stream();
    MemorySegment fill = kernel(probe(), "fill");
    long buffer = ints(0);
    MemorySegment parameters = parameters(buffer, 1, 1);
    Gate gate = hold(stream);
    ok(cuda_h.cuLaunchKernel(fill, 1, 1, 1, 1, 1, 1, 0, stream, parameters, NONE));
    parameters.getAtIndex(ADDRESS, 1).reinterpret(4).set(JAVA_INT, 0, 9);
    gate.open();
    synchronize(stream);
    assertThat(read(buffer, 1)).containsExactly(1);
  }

  @Test
  void dynamicSharedMemoryIsGiven() {
    MemorySegment stream = stream();
    MemorySegment reverse = kernel(probe(), "reverse");
    long buffer = ints(1, 2, 3, 4);
    MemorySegment parameters = parameters(buffer, 4);
    ok(cuda_h.cuLaunchKernel(reverse, 1, 1, 1, 4, 1, 1, 16, stream, parameters, NONE));
    synchronize(stream);
    assertThat(read(buffer, 4)).containsExactly(4, 3, 2, 1);
    expect(
        Result.INVALID_VALUE,
        cuda_h.cuLaunchKernel(reverse, 1, 1, 1, 4, 1, 1, (48 << 10) + 1, stream, parameters, NONE));
    ok(cuda_h.cuFuncSetAttribute(reverse, 8, 64 << 10));
    ok(cuda_h.cuLaunchKernel(reverse, 1, 1, 1, 4, 1, 1, 64 << 10, stream, parameters, NONE));
    synchronize(stream);
    assertThat(read(buffer, 4)).containsExactly(1, 2, 3, 4);
  }

  @Test
  void kernelsOnTwoStreamsAreOrderedByEvents() {
    MemorySegment first = stream();
    MemorySegment second = stream();
    MemorySegment event = event();
    MemorySegment module = probe();
    MemorySegment add = kernel(module, "add");
    long a = ints(0, 0, 0);
    long b = ints(0, 0, 0);
    for (int i = 0; i < 20; i++) {
      launch(add, 1, 32, first, b, a, 1, 3);
      record(event, first);
      waitFor(second, event);
      launch(add, 1, 32, second, a, b, 1, 3);
      record(event, second);
      waitFor(first, event);
    }
    synchronize(first);
    assertThat(read(a, 3)).containsExactly(40, 40, 40);
  }

  @Test
  void impossibleLaunchesAreRefused() {
    MemorySegment stream = stream();
    MemorySegment module = probe();
    MemorySegment nothing = kernel(module, "nothing");
    int[][] shapes = {
      {0, 1, 1, 1, 1, 1},
      {1, 65536, 1, 1, 1, 1},
      {1, 1, 65536, 1, 1, 1},
      {-1, 1, 1, 1, 1, 1},
      {1, 1, 1, 0, 1, 1},
      {1, 1, 1, 1025, 1, 1},
      {1, 1, 1, 1, 1, 65},
      {1, 1, 1, 32, 33, 1}
    };
    for (int[] s : shapes) {
      expect(
          Result.INVALID_VALUE,
          cuda_h.cuLaunchKernel(
              nothing, s[0], s[1], s[2], s[3], s[4], s[5], 0, stream, NONE, NONE));
    }
    expect(
        Result.LAUNCH_OUT_OF_RESOURCES,
        tryLaunch(kernel(module, "bounded"), 1, 65, stream, device(4)));
  }

  @Test
  void badParametersAreRefused() {
    MemorySegment stream = stream();
    MemorySegment fill = kernel(probe(), "fill");
    MemorySegment parameters = parameters(device(4), 1, 1);
    expect(
        Result.INVALID_VALUE, cuda_h.cuLaunchKernel(fill, 1, 1, 1, 1, 1, 1, 0, stream, NONE, NONE));
    expect(
        Result.INVALID_VALUE,
        cuda_h.cuLaunchKernel(fill, 1, 1, 1, 1, 1, 1, 0, stream, parameters, parameters));
    parameters.setAtIndex(ADDRESS, 2, NONE);
    expect(
        Result.INVALID_VALUE,
        cuda_h.cuLaunchKernel(fill, 1, 1, 1, 1, 1, 1, 0, stream, parameters, NONE));
    expect(
        Result.INVALID_HANDLE,
        cuda_h.cuLaunchKernel(stream, 1, 1, 1, 1, 1, 1, 0, stream, parameters, NONE));
    expect(
        Result.INVALID_HANDLE,
        cuda_h.cuLaunchKernel(fill, 1, 1, 1, 1, 1, 1, 0, fill, parameters, NONE));
  }

  @Test
  void anExtendedLaunchTakesPlainAttributes() {
    MemorySegment stream = stream();
    MemorySegment fill = kernel(probe(), "fill");
    long buffer = ints(0);
    MemorySegment attributes = CUlaunchAttribute.allocateArray(2, arena());
    CUlaunchAttribute.id(CUlaunchAttribute.asSlice(attributes, 0), 8);
    CUlaunchAttribute.id(CUlaunchAttribute.asSlice(attributes, 1), 2);
    MemorySegment config = CUlaunchConfig.allocate(arena());
    CUlaunchConfig.gridDimX(config, 1);
    CUlaunchConfig.gridDimY(config, 1);
    CUlaunchConfig.gridDimZ(config, 1);
    CUlaunchConfig.blockDimX(config, 1);
    CUlaunchConfig.blockDimY(config, 1);
    CUlaunchConfig.blockDimZ(config, 1);
    CUlaunchConfig.hStream(config, stream);
    CUlaunchConfig.attrs(config, attributes);
    CUlaunchConfig.numAttrs(config, 2);
    ok(cuda_h.cuLaunchKernelEx(config, fill, parameters(buffer, 8, 1), NONE));
    synchronize(stream);
    assertThat(read(buffer, 1)).containsExactly(8);
    MemorySegment cooperative = CUlaunchAttribute.asSlice(attributes, 1);
    cooperative.set(JAVA_INT, CUlaunchAttribute.value$offset(), 1);
    ok(cuda_h.cuLaunchKernelEx(config, fill, parameters(buffer, 9, 1), NONE));
    synchronize(stream);
    assertThat(read(buffer, 1)).containsExactly(9);
    CUlaunchConfig.gridDimX(config, 100_000);
    expect(
        Result.COOPERATIVE_LAUNCH_TOO_LARGE,
        cuda_h.cuLaunchKernelEx(config, fill, parameters(buffer, 9, 1), NONE));
  }

  @Test
  void theBlocksOfACooperativeLaunchMeet() {
    MemorySegment stream = stream();
    MemorySegment meet = kernel(load(MEET), "meet");
    MemorySegment blocks = arena().allocate(JAVA_INT);
    ok(cuda_h.cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, meet, 32, 0));
    int grid = blocks.get(JAVA_INT, 0) * outInt(slot -> cuda_h.cuDeviceGetAttribute(slot, 16, 0));
    assertThat(outInt(slot -> cuda_h.cuDeviceGetAttribute(slot, 95, 0))).isEqualTo(1);
    long counter = ints(0);
    ok(
        cuda_h.cuLaunchCooperativeKernel(
            meet, grid, 1, 1, 32, 1, 1, 0, stream, parameters(counter)));
    synchronize(stream);
    assertThat(read(counter, 1)).containsExactly(32 * grid);
    expect(
        Result.COOPERATIVE_LAUNCH_TOO_LARGE,
        cuda_h.cuLaunchCooperativeKernel(
            meet, grid + 1, 1, 1, 32, 1, 1, 0, stream, parameters(counter)));
  }

  /** Each thread counts itself and waits until all threads of the grid have. */
  private static final String MEET =
      """
      .version 9.0
      .target sm_75
      .address_size 64
      .visible .entry meet(.param .u64 p)
      {
        .reg .pred %q<2>;
        .reg .b32 %r<6>;
        .reg .b64 %d<3>;
        ld.param.u64 %d1, [p];
        cvta.to.global.u64 %d2, %d1;
        mov.u32 %r1, %nctaid.x;
        mov.u32 %r2, %ntid.x;
        mul.lo.s32 %r3, %r1, %r2;
        atom.global.add.u32 %r4, [%d2], 1;
      wait:
        ld.volatile.global.u32 %r5, [%d2];
        setp.lt.u32 %q1, %r5, %r3;
        @%q1 bra wait;
        ret;
      }
      """;

  private MemorySegment load(String ptx) {
    MemorySegment image = arena().allocateFrom(ptx);
    return out(module -> cuda_h.cuModuleLoadData(module, image));
  }

  @Test
  void aCapturedKernelRunsAtEachLaunch() {
    MemorySegment stream = stream();
    MemorySegment add = kernel(probe(), "add");
    long buffer = ints(0, 0);
    begin(stream, THREAD_LOCAL);
    launch(add, 1, 32, stream, buffer, buffer, 1, 2);
    launch(add, 1, 32, stream, buffer, buffer, 10, 2);
    MemorySegment exec = instantiate(end(stream));
    for (int i = 0; i < 5; i++) {
      ok(cuda_h.cuGraphLaunch(exec, stream));
    }
    synchronize(stream);
    assertThat(read(buffer, 2)).containsExactly(55, 55);
  }

  @Test
  void aKernelNodeTellsAndTakesParameters() {
    MemorySegment stream = stream();
    MemorySegment module = probe();
    MemorySegment fill = kernel(module, "fill");
    long buffer = ints(0, 0);
    begin(stream, THREAD_LOCAL);
    launch(fill, 1, 2, stream, buffer, 7, 1);
    MemorySegment graph = end(stream);
    MemorySegment node = nodes(graph).get(0);
    MemorySegment exec = instantiate(graph);

    MemorySegment params = CUDA_KERNEL_NODE_PARAMS_v2.allocate(arena());
    ok(cuda_h.cuGraphKernelNodeGetParams_v2(node, params));
    assertThat(CUDA_KERNEL_NODE_PARAMS_v2.func(params)).isEqualTo(fill);
    assertThat(CUDA_KERNEL_NODE_PARAMS_v2.blockDimX(params)).isEqualTo(2);
    MemorySegment values = CUDA_KERNEL_NODE_PARAMS_v2.kernelParams(params).reinterpret(24);
    assertThat(values.getAtIndex(ADDRESS, 1).reinterpret(4).get(JAVA_INT, 0)).isEqualTo(7);

    CUDA_KERNEL_NODE_PARAMS_v2.kernelParams(params, parameters(buffer, 9, 2));
    ok(cuda_h.cuGraphExecKernelNodeSetParams_v2(exec, node, params));
    ok(cuda_h.cuGraphLaunch(exec, stream));
    synchronize(stream);
    assertThat(read(buffer, 2)).containsExactly(9, 9);

    MemorySegment added = out(slot -> cuda_h.cuGraphAddKernelNode_v2(slot, graph, NONE, 0, params));
    assertThat(nodeType(added)).isZero();
  }

  @Test
  void aGraphWhoseModuleIsGoneIsRefused() {
    MemorySegment stream = stream();
    MemorySegment module = probe();
    long buffer = ints(0);
    begin(stream, THREAD_LOCAL);
    launch(kernel(module, "fill"), 1, 1, stream, buffer, 1, 1);
    MemorySegment exec = instantiate(end(stream));
    ok(cuda_h.cuModuleUnload(module));
    expect(Result.INVALID_HANDLE, cuda_h.cuGraphLaunch(exec, stream));
  }

  @Test
  void aCooperativeLaunchTakesNoBufferOfParameters() {
    MemorySegment fill = kernel(probe(), "fill");
    MemorySegment attribute = CUlaunchAttribute.allocate(arena());
    CUlaunchAttribute.id(attribute, 2);
    attribute.set(JAVA_INT, CUlaunchAttribute.value$offset(), 1);
    MemorySegment config = CUlaunchConfig.allocate(arena());
    CUlaunchConfig.gridDimX(config, 1);
    CUlaunchConfig.gridDimY(config, 1);
    CUlaunchConfig.gridDimZ(config, 1);
    CUlaunchConfig.blockDimX(config, 1);
    CUlaunchConfig.blockDimY(config, 1);
    CUlaunchConfig.blockDimZ(config, 1);
    CUlaunchConfig.hStream(config, stream());
    CUlaunchConfig.attrs(config, attribute);
    CUlaunchConfig.numAttrs(config, 1);
    MemorySegment size = arena().allocateFrom(JAVA_LONG, 16);
    long block = arena().allocateFrom(JAVA_LONG, device(4), 1L | 1L << 32).address();
    MemorySegment extra = arena().allocateFrom(JAVA_LONG, 1, block, 2, size.address(), 0);
    expect(Result.INVALID_VALUE, cuda_h.cuLaunchKernelEx(config, fill, NONE, extra));
    CUlaunchConfig.numAttrs(config, 0);
    ok(cuda_h.cuLaunchKernelEx(config, fill, NONE, extra));
  }
}
