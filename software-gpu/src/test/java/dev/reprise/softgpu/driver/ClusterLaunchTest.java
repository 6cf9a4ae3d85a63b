package dev.reprise.softgpu.driver;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.CUDA_KERNEL_NODE_PARAMS_v2;
import dev.reprise.bindings.cuda.CUgraphExecUpdateResultInfo;
import dev.reprise.bindings.cuda.CUlaunchAttribute;
import dev.reprise.bindings.cuda.CUlaunchAttributeValue;
import dev.reprise.bindings.cuda.CUlaunchConfig;
import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Launches in clusters of blocks: who asks for them, who requires them, and what they must be. */
class ClusterLaunchTest extends DriverTest {

  private static final MemorySegment NONE = MemorySegment.NULL;
  private static final int CLUSTER = 4;
  private static final int PREFERRED = 11;
  private static final int MUST_BE_SET = 10;
  private static final int WIDTH = 11;
  private static final int NON_PORTABLE = 14;
  private static final int POLICY = 15;
  private static final int CLUSTER_LAUNCH = 120;

  /** Each block writes the sum of the numbers of all blocks of its cluster. */
  private static final String BODY =
      """
      {
        .shared .align 4 .u32 own;
        .reg .pred %p<2>;
        .reg .b32 %r<9>;
        .reg .b64 %d<3>;
        mov.u32 %r1, %ctaid.x;
        st.shared.u32 [own], %r1;
        barrier.cluster.arrive; barrier.cluster.wait;
        mov.u32 %r2, %cluster_nctarank;
        mov.u32 %r3, 0; mov.u32 %r4, 0;
      next:
        mapa.shared::cluster.u32 %r5, own, %r3;
        ld.shared::cluster.u32 %r6, [%r5];
        add.u32 %r4, %r4, %r6; add.u32 %r3, %r3, 1;
        setp.lt.u32 %p1, %r3, %r2; @%p1 bra next;
        barrier.cluster.arrive; barrier.cluster.wait;
        ld.param.u64 %d1, [p]; mad.wide.u32 %d2, %r1, 4, %d1;
        st.global.u32 [%d2], %r4;
        ret;
      }
      """;

  private static String entry(String name, String directives) {
    return ".visible .entry " + name + "(.param .u64 p) " + directives + "\n" + BODY;
  }

  private MemorySegment free = NONE;
  private MemorySegment fixed = NONE;
  private MemorySegment named = NONE;
  private MemorySegment limited = NONE;
  private MemorySegment counted = NONE;

  @BeforeEach
  void loadKernels() {
    String text =
        ".version 9.0\n.target sm_90\n.address_size 64\n"
            + entry("free", "")
            + entry("fixed", ".explicitcluster .reqnctapercluster 2, 1, 1")
            + entry("named", ".explicitcluster")
            + entry("limited", ".maxclusterrank 4")
            + entry("counted", ".blocksareclusters .reqntid 1, 1, 1 .reqnctapercluster 3, 1, 1");
    MemorySegment image = arena().allocateFrom(text);
    MemorySegment module = out(slot -> cuda_h.cuModuleLoadData(slot, image));
    free = kernel(module, "free");
    fixed = kernel(module, "fixed");
    named = kernel(module, "named");
    limited = kernel(module, "limited");
    counted = kernel(module, "counted");
  }

  private MemorySegment config(int grid, MemorySegment stream, int... cluster) {
    MemorySegment config = CUlaunchConfig.allocate(arena());
    CUlaunchConfig.gridDimX(config, grid);
    CUlaunchConfig.gridDimY(config, 1);
    CUlaunchConfig.gridDimZ(config, 1);
    CUlaunchConfig.blockDimX(config, 1);
    CUlaunchConfig.blockDimY(config, 1);
    CUlaunchConfig.blockDimZ(config, 1);
    CUlaunchConfig.hStream(config, stream);
    if (cluster.length > 0) {
      MemorySegment attribute = CUlaunchAttribute.allocate(arena());
      CUlaunchAttribute.id(attribute, CLUSTER);
      for (int axis = 0; axis < cluster.length; axis++) {
        attribute.set(JAVA_INT, CUlaunchAttribute.value$offset() + 4L * axis, cluster[axis]);
      }
      CUlaunchConfig.attrs(config, attribute);
      CUlaunchConfig.numAttrs(config, 1);
    }
    return config;
  }

  private int tryClusters(MemorySegment kernel, int grid, long out, int... cluster) {
    return cuda_h.cuLaunchKernelEx(config(grid, NONE, cluster), kernel, parameters(out), NONE);
  }

  private static int[] sums(int grid, int cluster) {
    int[] want = new int[grid];
    for (int block = 0; block < grid; block++) {
      for (int k = 0; k < cluster; k++) {
        want[block] += block / cluster * cluster + k;
      }
    }
    return want;
  }

  private void expectSums(MemorySegment kernel, int grid, int cluster, int... asked) {
    long out = ints(new int[grid]);
    ok(tryClusters(kernel, grid, out, asked));
    ok(cuda_h.cuCtxSynchronize());
    assertThat(read(out, grid)).isEqualTo(sums(grid, cluster));
  }

  private int attribute(MemorySegment kernel, int attribute) {
    return outInt(slot -> cuda_h.cuFuncGetAttribute(slot, attribute, kernel));
  }

  @Test
  void blocksRunInTheClustersThatTheLaunchAsksFor() {
    expectSums(free, 6, 2, 2, 1, 1);
    expectSums(free, 12, 3, 3, 1, 1);
    expectSums(free, 8, 8, 8, 1, 1);
    expectSums(free, 5, 1, 1, 1, 1);
    expectSums(free, 5, 1);
    expectSums(free, 5, 1, 0, 0, 0);
    assertThat(outInt(slot -> cuda_h.cuDeviceGetAttribute(slot, CLUSTER_LAUNCH, 0))).isEqualTo(1);
  }

  /** A launch in clusters that prefers larger ones. */
  private int tryPreferred(
      MemorySegment kernel, int grid, long out, int[] cluster, int... preferred) {
    MemorySegment config = config(grid, NONE);
    // Both layers of the grid do the same.
    CUlaunchConfig.gridDimZ(config, 2);
    MemorySegment attributes = CUlaunchAttribute.allocateArray(2, arena());
    int[][] values = {cluster, preferred};
    for (int k = 0; k < 2; k++) {
      MemorySegment attribute = CUlaunchAttribute.asSlice(attributes, k);
      CUlaunchAttribute.id(attribute, k == 0 ? CLUSTER : PREFERRED);
      for (int axis = 0; axis < values[k].length; axis++) {
        attribute.set(JAVA_INT, CUlaunchAttribute.value$offset() + 4L * axis, values[k][axis]);
      }
    }
    CUlaunchConfig.attrs(config, attributes);
    CUlaunchConfig.numAttrs(config, 2);
    return cuda_h.cuLaunchKernelEx(config, kernel, parameters(out), NONE);
  }

  @Test
  void largerClustersMayBePreferred() {
    int[] two = {2, 1, 1};
    for (int[] preferred : new int[][] {{4, 1, 1}, {2, 1, 1}, {6, 1, 1}, {0, 0, 0}}) {
      long out = ints(new int[12]);
      ok(tryPreferred(free, 12, out, two, preferred));
      ok(cuda_h.cuCtxSynchronize());
      assertThat(read(out, 12)).isEqualTo(sums(12, 2));
    }
    long fixedOut = ints(new int[4]);
    ok(tryPreferred(fixed, 4, fixedOut, new int[3], 4, 1, 1));
    ok(cuda_h.cuCtxSynchronize());
    assertThat(read(fixedOut, 4)).isEqualTo(sums(4, 2));
  }

  @Test
  void preferredClustersMustBeMadeOfClusters() {
    int[] two = {2, 1, 1};
    Result refused = Result.INVALID_CLUSTER_SIZE;
    long out = ints(0);
    expect(refused, tryPreferred(free, 12, out, two, 3, 1, 1));
    expect(refused, tryPreferred(free, 12, out, two, 1, 1, 1));
    expect(refused, tryPreferred(free, 12, out, two, 4, 2, 1));
    expect(refused, tryPreferred(free, 12, out, two, 4, 1, 2));
    expect(refused, tryPreferred(free, 12, out, two, 4, 0, 1));
    // It divides the grid, and is no larger than the kernel allows.
    expect(refused, tryPreferred(free, 10, out, two, 4, 1, 1));
    expect(refused, tryPreferred(free, 32, out, two, 16, 1, 1));
    expect(refused, tryPreferred(limited, 32, out, two, 8, 1, 1));
    expect(refused, tryPreferred(free, 12, out, new int[3], 4, 1, 1));
    MemorySegment graph = out(slot -> cuda_h.cuGraphCreate(slot, 0));
    MemorySegment node = addNode(graph, free, 12, ints(new int[12]));
    expect(refused, cuda_h.cuGraphKernelNodeSetAttribute(node, PREFERRED, value(4, 1, 1)));
    ok(cuda_h.cuGraphKernelNodeSetAttribute(node, CLUSTER, value(2, 1, 1)));
    ok(cuda_h.cuGraphKernelNodeSetAttribute(node, PREFERRED, value(4, 1, 1)));
    expect(refused, cuda_h.cuGraphKernelNodeSetAttribute(node, CLUSTER, value(3, 1, 1)));
    assertThat(cluster(node)).containsExactly(2, 1, 1);
    MemorySegment kept = value(-1);
    ok(cuda_h.cuGraphKernelNodeGetAttribute(node, PREFERRED, kept));
    assertThat(kept.asSlice(0, 12).toArray(JAVA_INT)).containsExactly(4, 1, 1);
  }

  @Test
  void aKernelMayCountItsGridInClusters() {
    long out = ints(new int[9]);
    ok(tryLaunch(counted, 2, 1, NONE, out));
    ok(cuda_h.cuCtxSynchronize());
    assertThat(read(out, 9)).isEqualTo(java.util.Arrays.copyOf(sums(6, 3), 9));
    ok(tryClusters(counted, 3, out, 3, 1, 1));
    ok(cuda_h.cuCtxSynchronize());
    assertThat(read(out, 9)).isEqualTo(sums(9, 3));
    expect(Result.INVALID_CLUSTER_SIZE, tryClusters(counted, 3, out, 1, 1, 1));
    expect(Result.INVALID_VALUE, tryLaunch(counted, Integer.MAX_VALUE / 3 + 1, 1, NONE, out));
    assertThat(activeClusters(counted, 1)).isPositive();
  }

  @Test
  void aNodeTellsItsGridAsItWasGiven() {
    MemorySegment graph = out(slot -> cuda_h.cuGraphCreate(slot, 0));
    long out = ints(new int[6]);
    MemorySegment node = addNode(graph, counted, 2, out);
    MemorySegment told = CUDA_KERNEL_NODE_PARAMS_v2.allocate(arena());
    ok(cuda_h.cuGraphKernelNodeGetParams_v2(node, told));
    assertThat(CUDA_KERNEL_NODE_PARAMS_v2.gridDimX(told)).isEqualTo(2);
    ok(cuda_h.cuGraphKernelNodeSetParams_v2(node, told));
    ok(cuda_h.cuGraphLaunch(instantiate(graph), NONE));
    ok(cuda_h.cuCtxSynchronize());
    assertThat(read(out, 6)).isEqualTo(sums(6, 3));
  }

  @Test
  void clustersThatDoNotFitTheGridOrTheKernelAreRefused() {
    long out = ints(0);
    Result refused = Result.INVALID_CLUSTER_SIZE;
    expect(refused, tryClusters(free, 5, out, 2, 1, 1));
    expect(refused, tryClusters(free, 4, out, 2, 2, 1));
    expect(refused, tryClusters(free, 4, out, 2, 0, 1));
    expect(refused, tryClusters(free, 4, out, -1, 1, 1));
    expect(refused, tryClusters(free, 16, out, 16, 1, 1));
    expect(refused, tryClusters(limited, 8, out, 8, 1, 1));
    ok(tryClusters(limited, 4, ints(0, 0, 0, 0), 4, 1, 1));
    ok(cuda_h.cuCtxSynchronize());
    assertThat(read(out, 1)).containsExactly(0);
  }

  @Test
  void moreThanEightBlocksMustBeAllowed() {
    assertThat(attribute(free, NON_PORTABLE)).isZero();
    ok(cuda_h.cuFuncSetAttribute(free, NON_PORTABLE, 1));
    assertThat(attribute(free, NON_PORTABLE)).isEqualTo(1);
    expectSums(free, 16, 16, 16, 1, 1);
    expect(Result.INVALID_CLUSTER_SIZE, tryClusters(free, 32, ints(0), 32, 1, 1));
    expect(Result.INVALID_VALUE, cuda_h.cuFuncSetAttribute(free, NON_PORTABLE, 2));
    assertThat(attribute(free, POLICY)).isZero();
    ok(cuda_h.cuFuncSetAttribute(free, POLICY, 2));
    assertThat(attribute(free, POLICY)).isEqualTo(2);
    expect(Result.INVALID_VALUE, cuda_h.cuFuncSetAttribute(free, POLICY, 3));
  }

  @Test
  void aKernelThatWasCompiledForAClusterHasNoOther() {
    expectSums(fixed, 6, 2);
    expectSums(fixed, 6, 2, 2, 1, 1);
    long out = ints(new int[4]);
    ok(tryLaunch(fixed, 4, 1, NONE, out));
    ok(cuda_h.cuCtxSynchronize());
    assertThat(read(out, 4)).isEqualTo(sums(4, 2));
    expect(Result.INVALID_CLUSTER_SIZE, tryClusters(fixed, 4, out, 4, 1, 1));
    expect(Result.INVALID_CLUSTER_SIZE, tryClusters(fixed, 3, out));
    expect(Result.INVALID_CLUSTER_SIZE, tryLaunch(fixed, 3, 1, NONE, out));
    assertThat(attribute(fixed, MUST_BE_SET)).isEqualTo(1);
    for (int axis = 0; axis < 3; axis++) {
      assertThat(attribute(fixed, WIDTH + axis)).isEqualTo(axis == 0 ? 2 : 1);
      expect(Result.NOT_PERMITTED, cuda_h.cuFuncSetAttribute(fixed, WIDTH + axis, 1));
    }
  }

  @Test
  void aKernelCanBeMadeToRequireACluster() {
    assertThat(attribute(free, WIDTH)).isZero();
    ok(cuda_h.cuFuncSetAttribute(free, WIDTH, 3));
    expect(Result.INVALID_CLUSTER_SIZE, tryClusters(free, 6, ints(0)));
    ok(cuda_h.cuFuncSetAttribute(free, WIDTH + 1, 1));
    ok(cuda_h.cuFuncSetAttribute(free, WIDTH + 2, 1));
    assertThat(attribute(free, WIDTH)).isEqualTo(3);
    expectSums(free, 6, 3);
    expect(Result.INVALID_CLUSTER_SIZE, tryClusters(free, 6, ints(0), 2, 1, 1));
    expect(Result.INVALID_CLUSTER_SIZE, tryLaunch(free, 5, 1, NONE, ints(0)));
    expect(Result.INVALID_VALUE, cuda_h.cuFuncSetAttribute(free, WIDTH, -1));
    for (int axis = 0; axis < 3; axis++) {
      ok(cuda_h.cuFuncSetAttribute(free, WIDTH + axis, 0));
    }
    expectSums(free, 5, 1);
  }

  @Test
  void aKernelMayWantItsClusterNamed() {
    assertThat(attribute(named, MUST_BE_SET)).isEqualTo(1);
    assertThat(attribute(free, MUST_BE_SET)).isZero();
    expect(Result.INVALID_CLUSTER_SIZE, tryClusters(named, 4, ints(0)));
    expect(Result.INVALID_CLUSTER_SIZE, tryLaunch(named, 4, 1, NONE, ints(0)));
    expectSums(named, 4, 4, 4, 1, 1);
    expectSums(named, 4, 1, 1, 1, 1);
    MemorySegment graph = out(slot -> cuda_h.cuGraphCreate(slot, 0));
    long out = ints(new int[4]);
    MemorySegment node = addNode(graph, named, 4, out);
    expect(
        Result.INVALID_CLUSTER_SIZE,
        cuda_h.cuGraphInstantiateWithFlags(arena().allocate(8), graph, 0));
    ok(cuda_h.cuGraphKernelNodeSetAttribute(node, CLUSTER, value(2, 1, 1)));
    ok(cuda_h.cuGraphLaunch(instantiate(graph), NONE));
    ok(cuda_h.cuCtxSynchronize());
    assertThat(read(out, 4)).isEqualTo(sums(4, 2));
  }

  private MemorySegment nodeParams(MemorySegment kernel, int grid, long out) {
    MemorySegment params = CUDA_KERNEL_NODE_PARAMS_v2.allocate(arena());
    CUDA_KERNEL_NODE_PARAMS_v2.func(params, kernel);
    CUDA_KERNEL_NODE_PARAMS_v2.gridDimX(params, grid);
    CUDA_KERNEL_NODE_PARAMS_v2.gridDimY(params, 1);
    CUDA_KERNEL_NODE_PARAMS_v2.gridDimZ(params, 1);
    CUDA_KERNEL_NODE_PARAMS_v2.blockDimX(params, 1);
    CUDA_KERNEL_NODE_PARAMS_v2.blockDimY(params, 1);
    CUDA_KERNEL_NODE_PARAMS_v2.blockDimZ(params, 1);
    CUDA_KERNEL_NODE_PARAMS_v2.kernelParams(params, parameters(out));
    return params;
  }

  private MemorySegment addNode(MemorySegment graph, MemorySegment kernel, int grid, long out) {
    MemorySegment params = nodeParams(kernel, grid, out);
    return out(slot -> cuda_h.cuGraphAddKernelNode_v2(slot, graph, NONE, 0, params));
  }

  private MemorySegment value(int... numbers) {
    MemorySegment value = CUlaunchAttributeValue.allocate(arena());
    for (int k = 0; k < numbers.length; k++) {
      value.setAtIndex(JAVA_INT, k, numbers[k]);
    }
    return value;
  }

  private int[] cluster(MemorySegment node) {
    MemorySegment value = value(-1);
    ok(cuda_h.cuGraphKernelNodeGetAttribute(node, CLUSTER, value));
    return value.asSlice(0, 12).toArray(JAVA_INT);
  }

  @Test
  void aCapturedLaunchKeepsItsCluster() {
    MemorySegment stream = stream();
    long out = ints(new int[6]);
    begin(stream, 1);
    ok(cuda_h.cuLaunchKernelEx(config(6, stream, 3, 1, 1), free, parameters(out), NONE));
    MemorySegment graph = end(stream);
    MemorySegment node = nodes(graph).get(0);
    assertThat(cluster(node)).containsExactly(3, 1, 1);
    MemorySegment exec = instantiate(graph);
    ok(cuda_h.cuGraphLaunch(exec, stream));
    synchronize(stream);
    assertThat(read(out, 6)).isEqualTo(sums(6, 3));
    // The executable graph keeps it while the node gets another.
    ok(cuda_h.cuGraphKernelNodeSetAttribute(node, CLUSTER, value(2, 1, 1)));
    assertThat(cluster(node)).containsExactly(2, 1, 1);
    ok(cuda_h.cuGraphLaunch(exec, stream));
    synchronize(stream);
    assertThat(read(out, 6)).isEqualTo(sums(6, 3));
    MemorySegment info = CUgraphExecUpdateResultInfo.allocate(arena());
    ok(cuda_h.cuGraphExecUpdate_v2(exec, graph, info));
    ok(cuda_h.cuGraphLaunch(exec, stream));
    synchronize(stream);
    assertThat(read(out, 6)).isEqualTo(sums(6, 2));
  }

  @Test
  void aNodeTakesOnlyClustersThatFitIt() {
    MemorySegment graph = out(slot -> cuda_h.cuGraphCreate(slot, 0));
    long out = ints(new int[8]);
    MemorySegment node = addNode(graph, free, 8, out);
    assertThat(cluster(node)).containsExactly(0, 0, 0);
    expect(
        Result.INVALID_CLUSTER_SIZE,
        cuda_h.cuGraphKernelNodeSetAttribute(node, CLUSTER, value(3, 1, 1)));
    assertThat(cluster(node)).containsExactly(0, 0, 0);
    ok(cuda_h.cuGraphKernelNodeSetAttribute(node, CLUSTER, value(4, 1, 1)));
    expect(
        Result.INVALID_CLUSTER_SIZE,
        cuda_h.cuGraphKernelNodeSetParams_v2(node, nodeParams(free, 6, out)));
    MemorySegment other = addNode(graph, free, 6, out);
    expect(Result.INVALID_CLUSTER_SIZE, cuda_h.cuGraphKernelNodeCopyAttributes(other, node));
    MemorySegment exec = instantiate(graph);
    expect(
        Result.INVALID_CLUSTER_SIZE,
        cuda_h.cuGraphExecKernelNodeSetParams_v2(exec, node, nodeParams(free, 6, out)));
    ok(cuda_h.cuGraphExecKernelNodeSetParams_v2(exec, node, nodeParams(free, 4, out)));
    MemorySegment odd = nodeParams(fixed, 3, out);
    expect(
        Result.INVALID_CLUSTER_SIZE,
        cuda_h.cuGraphAddKernelNode_v2(arena().allocate(8), graph, NONE, 0, odd));
  }

  private int activeClusters(MemorySegment kernel, int grid, int... cluster) {
    return outInt(
        slot -> cuda_h.cuOccupancyMaxActiveClusters(slot, kernel, config(grid, NONE, cluster)));
  }

  @Test
  void occupancyCountsClusters() {
    int multiprocessors = outInt(slot -> cuda_h.cuDeviceGetAttribute(slot, 16, 0));
    int blocks =
        outInt(slot -> cuda_h.cuOccupancyMaxActiveBlocksPerMultiprocessor(slot, free, 1, 0))
            * multiprocessors;
    for (int size : new int[] {1, 2, 4, 8}) {
      assertThat(activeClusters(free, 8, size, 1, 1)).isEqualTo(blocks / size);
    }
    assertThat(activeClusters(fixed, 8)).isEqualTo(blocks / 2);
    MemorySegment slot = arena().allocate(JAVA_INT);
    expect(
        Result.INVALID_CLUSTER_SIZE,
        cuda_h.cuOccupancyMaxActiveClusters(slot, free, config(8, NONE)));
    expect(
        Result.INVALID_CLUSTER_SIZE,
        cuda_h.cuOccupancyMaxActiveClusters(slot, fixed, config(8, NONE, 4, 1, 1)));
    expect(
        Result.INVALID_CLUSTER_SIZE,
        cuda_h.cuOccupancyMaxActiveClusters(slot, free, config(16, NONE, 16, 1, 1)));
    expect(
        Result.INVALID_VALUE,
        cuda_h.cuOccupancyMaxActiveClusters(NONE, free, config(8, NONE, 2, 1, 1)));
  }

  @Test
  void occupancyKnowsTheLargestCluster() {
    MemorySegment plain = config(8, NONE);
    assertThat(outInt(slot -> cuda_h.cuOccupancyMaxPotentialClusterSize(slot, free, plain)))
        .isEqualTo(8);
    assertThat(outInt(slot -> cuda_h.cuOccupancyMaxPotentialClusterSize(slot, fixed, plain)))
        .isEqualTo(2);
    assertThat(outInt(slot -> cuda_h.cuOccupancyMaxPotentialClusterSize(slot, limited, plain)))
        .isEqualTo(4);
    ok(cuda_h.cuFuncSetAttribute(free, NON_PORTABLE, 1));
    assertThat(outInt(slot -> cuda_h.cuOccupancyMaxPotentialClusterSize(slot, free, plain)))
        .isEqualTo(16);
    expect(Result.INVALID_VALUE, cuda_h.cuOccupancyMaxPotentialClusterSize(NONE, free, plain));
    MemorySegment nothing = config(0, NONE);
    expect(
        Result.INVALID_VALUE,
        cuda_h.cuOccupancyMaxPotentialClusterSize(arena().allocate(4), free, nothing));
  }
}
