package dev.reprise.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.cuda.KernelOccupancy.PotentialBlock;
import org.junit.jupiter.api.Test;

/** Launches with attributes, occupancy, and attributes of kernels. */
final class LaunchAttributesTest extends GpuTest {

  /** Each block counts itself and waits until all blocks have. */
  private static final String MEET =
      """
      .version 7.0
      .target sm_75
      .address_size 64
      .visible .entry meet(.param .u64 p)
      {
        .reg .pred %q<2>;
        .reg .b32 %r<4>;
        .reg .b64 %d<3>;
        ld.param.u64 %d1, [p];
        cvta.to.global.u64 %d2, %d1;
        mov.u32 %r1, %nctaid.x;
        atom.global.add.u32 %r2, [%d2], 1;
      wait:
        ld.volatile.global.u32 %r3, [%d2];
        setp.lt.u32 %q1, %r3, %r1;
        @%q1 bra wait;
        ret;
      }
      """;

  @Test
  void theBlocksOfACooperativeLaunchMeet() {
    DeviceBuffer counter = ints("counter", 0);
    try (CudaModule code = device.loadModule("code", MEET)) {
      Kernel meet = code.kernel("meet");
      int grid = meet.occupancy().activeBlocks(1, 0) * device.multiprocessorCount();
      PreparedLaunch launch =
          meet.prepare(
              LaunchConfig.of(grid, 1), LaunchAttributes.COOPERATIVE, KernelArg.readWrite(counter));
      assertThat(launch.attributes()).isEqualTo(LaunchAttributes.COOPERATIVE);
      stream.launch(launch);
      assertThat(read(counter)).containsExactly(grid);

      PreparedLaunch tooLarge =
          meet.prepare(
              LaunchConfig.of(grid + 1, 1),
              LaunchAttributes.COOPERATIVE,
              KernelArg.readWrite(counter));
      assertThatThrownBy(() -> stream.launch(tooLarge))
          .isInstanceOfSatisfying(
              CudaException.class,
              e -> {
                assertThat(e.name()).isEqualTo("CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE");
                assertThat(e.function()).isEqualTo("cuLaunchKernelEx");
              });
    }
    counter.close();
  }

  @Test
  void aLaunchWithAttributesIsCapturedOnAnyStream() {
    DeviceBuffer counter = ints("counter", 0);
    LaunchAttributes attributes =
        LaunchAttributes.NONE.withPriority(-1).withProgrammaticSerialization();
    PreparedLaunch launch =
        module
            .kernel("increment")
            .prepare(LaunchConfig.of(1, 1), attributes, KernelArg.readWrite(counter));
    try (Stream other = device.createStream("other");
        Graph graph = other.capture(capture -> other.launch(launch));
        GraphExec exec = graph.instantiate()) {
      stream.launch(launch);
      exec.replay(stream);
      assertThat(read(counter)).containsExactly(2);
      assertThat(graph.pointers()).hasSize(1);
    }
    counter.close();
  }

  /** Each block adds the number of blocks of its cluster. */
  private static final String CLUSTER =
      """
      .version 7.8
      .target sm_90
      .address_size 64
      .visible .entry count(.param .u64 p)
      {
        .reg .b32 %r<3>;
        .reg .b64 %d<3>;
        ld.param.u64 %d1, [p];
        cvta.to.global.u64 %d2, %d1;
        mov.u32 %r1, %cluster_nctarank;
        atom.global.add.u32 %r2, [%d2], %r1;
        ret;
      }
      """;

  @Test
  void aLaunchRunsInClusters() {
    DeviceBuffer counter = ints("counter", 0);
    LaunchAttributes triples = LaunchAttributes.NONE.withCluster(3, 1, 1);
    try (CudaModule code = device.loadModule("code", CLUSTER)) {
      Kernel count = code.kernel("count");
      stream.launch(count.prepare(LaunchConfig.of(6, 1), triples, KernelArg.readWrite(counter)));
      assertThat(read(counter)).containsExactly(18);
      try (Graph graph =
              stream.capture(capture ->
                  stream.launch(
                      count.prepare(
                          LaunchConfig.of(3, 1), triples, KernelArg.readWrite(counter))));
          GraphExec exec = graph.instantiate()) {
        exec.replay(stream);
        assertThat(read(counter)).containsExactly(27);
      }
    }
    counter.close();
  }

  @Test
  void clustersThatDoNotMakeUpTheGridAreRefused() {
    DeviceBuffer counter = ints("counter", 0);
    PreparedLaunch launch =
        module
            .kernel("increment")
            .prepare(
                LaunchConfig.of(3, 1),
                LaunchAttributes.NONE.withCluster(2, 1, 1),
                KernelArg.readWrite(counter));
    assertThatThrownBy(() -> stream.launch(launch))
        .isInstanceOfSatisfying(
            CudaException.class,
            e -> assertThat(e.name()).isEqualTo("CUDA_ERROR_INVALID_CLUSTER_SIZE"));
    assertThatThrownBy(() -> LaunchAttributes.NONE.withCluster(2, 0, 1))
        .isInstanceOf(IllegalArgumentException.class);
    counter.close();
  }

  @Test
  void occupancyIsWhatTheDriverReckons() {
    Kernel sum = module.kernel("blockSum");
    KernelOccupancy occupancy = sum.occupancy();
    PotentialBlock best = occupancy.potentialBlock(0, 0);
    assertThat(best.gridBlocks())
        .isEqualTo(occupancy.activeBlocks(best.blockThreads(), 0) * device.multiprocessorCount());
    assertThat(occupancy.potentialBlock(0, 64).blockThreads()).isEqualTo(64);
    long room = occupancy.availableDynamicSharedBytes(2, 128);
    assertThat(occupancy.activeBlocks(128, Math.toIntExact(room))).isGreaterThanOrEqualTo(2);
    assertThat(occupancy.activeBlocks(128, Math.toIntExact(room) + 1024)).isLessThan(2);
    assertThatThrownBy(() -> occupancy.activeBlocks(0, 0))
        .isInstanceOfSatisfying(
            CudaException.class, e -> assertThat(e.name()).isEqualTo("CUDA_ERROR_INVALID_VALUE"));
  }

  @Test
  void occupancyOfClustersIsAskedOfTheDriver() {
    KernelOccupancy occupancy = module.kernel("blockSum").occupancy();
    LaunchConfig config = LaunchConfig.of(8, 64);
    LaunchAttributes pairs = LaunchAttributes.NONE.withCluster(2, 1, 1);
    assertThat(occupancy.activeClusters(config, pairs))
        .isEqualTo(occupancy.activeBlocks(64, 0) * device.multiprocessorCount() / 2);
    assertThat(occupancy.potentialClusterBlocks(config)).isEqualTo(8);
    assertThatThrownBy(
            () -> occupancy.activeClusters(config, LaunchAttributes.NONE.withCluster(3, 1, 1)))
        .isInstanceOfSatisfying(
            CudaException.class,
            e -> {
              assertThat(e.name()).isEqualTo("CUDA_ERROR_INVALID_CLUSTER_SIZE");
              assertThat(e.function()).isEqualTo("cuOccupancyMaxActiveClusters");
              assertThat(e.arguments()).contains("kernel=blockSum", "clusterX=3");
            });
    assertThatThrownBy(() -> occupancy.potentialClusterBlocks(LaunchConfig.of(8, 64, 1 << 24)))
        .isInstanceOfSatisfying(
            CudaException.class,
            e -> {
              assertThat(e.name()).isEqualTo("CUDA_ERROR_INVALID_VALUE");
              assertThat(e.function()).isEqualTo("cuOccupancyMaxPotentialClusterSize");
            });
    assertThatThrownBy(() -> occupancy.activeClusters(config, LaunchAttributes.NONE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("ask for no cluster");
  }

  @Test
  void attributesOfAKernelAreSet() {
    Kernel sum = module.kernel("blockSum");
    sum.setMaxDynamicSharedBytes(100_000);
    sum.setSharedMemoryCarveout(50);
    assertThat(sum.attribute(KernelAttribute.MAX_DYNAMIC_SHARED_SIZE_BYTES)).isEqualTo(100_000);
    assertThat(sum.attribute(KernelAttribute.PREFERRED_SHARED_MEMORY_CARVEOUT)).isEqualTo(50);
    assertThatThrownBy(() -> sum.setMaxDynamicSharedBytes(1 << 24))
        .isInstanceOfSatisfying(
            CudaException.class, e -> assertThat(e.name()).isEqualTo("CUDA_ERROR_INVALID_VALUE"));
  }

  @Test
  void limitsAndPrioritiesOfTheDeviceAreKnown() {
    PriorityRange range = device.streamPriorityRange();
    assertThat(range.greatest()).isLessThanOrEqualTo(range.least());
    device.createStream("urgent", range.greatest()).close();
    for (DeviceLimit limit : DeviceLimit.values()) {
      assertThat(device.limit(limit)).isNotNegative();
    }
    long stack = device.limit(DeviceLimit.STACK_BYTES);
    device.setLimit(DeviceLimit.STACK_BYTES, stack + 1024);
    assertThat(device.limit(DeviceLimit.STACK_BYTES)).isGreaterThanOrEqualTo(stack + 1024);
    device.setLimit(DeviceLimit.STACK_BYTES, stack);
    assertThatThrownBy(() -> device.setLimit(DeviceLimit.STACK_BYTES, -1))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
