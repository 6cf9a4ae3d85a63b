package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.softgpu.memory.Allocation;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Clusters of blocks: where a block is in its cluster, and the shared memory of the others. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ClusterTest {
  private static final List<String> REGISTERS =
      List.of(
          "%cluster_ctaid.x",
          "%cluster_ctaid.y",
          "%cluster_ctaid.z",
          "%cluster_ctarank",
          "%cluster_nctaid.x",
          "%cluster_nctaid.y",
          "%cluster_nctaid.z",
          "%cluster_nctarank",
          "%clusterid.x",
          "%clusterid.y",
          "%clusterid.z",
          "%nclusterid.x",
          "%nclusterid.y",
          "%nclusterid.z");

  private final Device device = new Device(1);

  @AfterEach
  void close() {
    device.close();
  }

  /** One thread of each block writes all registers, and whether the launch named clusters. */
  private int[] registers(Dim3 grid, @org.jspecify.annotations.Nullable Dim3 cluster) {
    StringBuilder body = new StringBuilder();
    body.append(
        """
        ld.param.u64 %rd1, [out]; mov.u32 %r1, %ctaid.z; mov.u32 %r2, %nctaid.y;
        mov.u32 %r3, %ctaid.y; mad.lo.u32 %r1, %r1, %r2, %r3; mov.u32 %r2, %nctaid.x;
        mov.u32 %r3, %ctaid.x; mad.lo.u32 %r1, %r1, %r2, %r3; mad.wide.u32 %rd1, %r1, 64, %rd1;
        mov.pred %p1, %is_explicit_cluster; selp.u32 %r4, 1, 0, %p1; st.global.u32 [%rd1+56], %r4;
        """);
    for (int k = 0; k < REGISTERS.size(); k++) {
      body.append(
          "mov.u32 %r4, " + REGISTERS.get(k) + "; st.global.u32 [%rd1+" + 4 * k + "], %r4;");
    }
    KernelCode code = ClusterKernels.load(device, "", body.toString());
    Allocation out = device.allocate(grid.count() * 64);
    byte[] arguments = Device.block(code, out, out);
    device.engine.run(
        new LaunchRequest(code, grid, Dim3.of(1), 0, arguments, false, null, cluster));
    return Device.ints(out);
  }

  @Test
  void knowsItsPlace() {
    Dim3 grid = new Dim3(4, 6, 4);
    Dim3 cluster = new Dim3(2, 3, 2);
    int[] got = registers(grid, cluster);
    for (int z = 0; z < 4; z++) {
      for (int y = 0; y < 6; y++) {
        for (int x = 0; x < 4; x++) {
          int at = ((z * 6 + y) * 4 + x) * 16;
          int rank = x % 2 + 2 * (y % 3) + 6 * (z % 2);
          assertThat(List.of(got[at], got[at + 1], got[at + 2], got[at + 3]))
              .as("block (%d, %d, %d)", x, y, z)
              .containsExactly(x % 2, y % 3, z % 2, rank);
          assertThat(List.of(got[at + 4], got[at + 5], got[at + 6], got[at + 7]))
              .containsExactly(2, 3, 2, 12);
          assertThat(List.of(got[at + 8], got[at + 9], got[at + 10]))
              .containsExactly(x / 2, y / 3, z / 2);
          assertThat(List.of(got[at + 11], got[at + 12], got[at + 13], got[at + 14]))
              .containsExactly(2, 2, 2, 1);
        }
      }
    }
  }

  @Test
  void isAClusterByItselfWithoutOne() {
    int[] got = registers(new Dim3(3, 2, 1), null);
    for (int k = 0; k < 6; k++) {
      List<Integer> block = new ArrayList<>();
      for (int w = 0; w < 15; w++) {
        block.add(got[16 * k + w]);
      }
      assertThat(block).containsExactly(0, 0, 0, 0, 1, 1, 1, 1, k % 3, k / 3, 0, 3, 2, 1, 0);
    }
  }

  /** Each thread's word is 1000 × block + thread; reads that of the next block in two ways. */
  private static final String NEXT =
      """
      .shared .align 16 .b8 tile[256];
      mad.lo.u32 %r6, %r4, 1000, %r2; mov.u32 %r7, tile; mad.lo.u32 %r7, %r2, 4, %r7;
      st.shared.u32 [%r7], %r6;
      barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;
      mov.u32 %r8, %cluster_nctarank; add.u32 %r9, %r3, 1; rem.u32 %r9, %r9, %r8;
      mapa.shared::cluster.u32 %r10, %r7, %r9;
      ld.shared::cluster.u32 %r11, [%r10];
      cvt.u64.u32 %rd2, %r7; cvta.shared.u64 %rd2, %rd2; mapa.u64 %rd3, %rd2, %r9;
      ld.u32 %r12, [%rd3];
      getctarank.shared::cluster.u32 %r13, %r10; getctarank.u64 %r14, %rd3;
      getctarank.u64 %r15, %rd2;
      isspacep.shared::cluster %p1, %rd3; isspacep.shared::cta %p2, %rd3;
      isspacep.shared %p3, %rd2; isspacep.shared::cluster %p4, %rd2; isspacep.global %p5, %rd3;
      selp.u32 %r16, 1, 0, %p1; selp.u32 %r17, 2, 0, %p2; or.b32 %r16, %r16, %r17;
      selp.u32 %r17, 4, 0, %p3; or.b32 %r16, %r16, %r17;
      selp.u32 %r17, 8, 0, %p4; or.b32 %r16, %r16, %r17;
      selp.u32 %r17, 16, 0, %p5; or.b32 %r16, %r16, %r17;
      mad.lo.u32 %r13, %r13, 100, %r14; mad.lo.u32 %r13, %r13, 100, %r15;
      st.global.v4.u32 [%rd1], {%r11, %r12, %r13, %r16};
      barrier.cluster.arrive; barrier.cluster.wait;
      """;

  @ParameterizedTest
  @EnumSource(Execution.class)
  void readsSharedMemoryOfAnotherBlock(Execution execution) {
    for (int cluster : new int[] {2, 3, 8}) {
      int grid = 24;
      int[] got = ClusterKernels.run(device, execution, grid, 64, cluster, NEXT);
      for (int t = 0; t < grid * 64; t++) {
        int block = t / 64;
        int rank = block % cluster;
        int next = (rank + 1) % cluster;
        int word = (block - rank + next) * 1000 + t % 64;
        assertThat(ClusterKernels.words(got, t))
            .as("cluster of %d, thread %d", cluster, t)
            .containsExactly(word, word, (next * 100 + next) * 100 + rank, 1 | 4 | 8);
      }
    }
  }

  @Test
  void mapsToItselfWithoutClusters() {
    int[] got = ClusterKernels.run(device, Execution.INTERPRETED, 2, 64, 0, NEXT);
    for (int t = 0; t < 128; t++) {
      int word = t / 64 * 1000 + t % 64;
      assertThat(ClusterKernels.words(got, t)).containsExactly(word, word, 0, 1 | 2 | 4 | 8);
    }
  }

  @Test
  void mapsAVariableByItsName() {
    int[] got =
        ClusterKernels.run(
            device,
            Execution.INTERPRETED,
            4,
            1,
            4,
            """
            .shared .align 8 .b8 pad[24]; .shared .align 4 .u32 word;
            mul.lo.u32 %r6, %r3, 11; st.shared.u32 [word], %r6; st.shared.u32 [pad], 99;
            barrier.cluster.arrive; barrier.cluster.wait;
            mapa.shared::cluster.u32 %r7, word, 2; ld.shared::cluster.u32 %r8, [%r7];
            mapa.shared::cluster.u64 %rd2, word, 3; ld.shared::cluster.u32 %r9, [%rd2];
            ld.shared::cluster.u32 %r10, [word];
            st.global.v4.u32 [%rd1], {%r8, %r9, %r10, %r10};
            barrier.cluster.arrive; barrier.cluster.wait;
            """);
    for (int block = 0; block < 4; block++) {
      assertThat(ClusterKernels.words(got, block)).containsExactly(22, 33, 11 * block, 11 * block);
    }
  }

  @ParameterizedTest
  @EnumSource(Execution.class)
  void writesAndUpdatesSharedMemoryOfAnotherBlock(Execution execution) {
    int[] got =
        ClusterKernels.run(
            device,
            execution,
            8,
            96,
            4,
            """
            .shared .align 16 .b8 tile[512]; .shared .align 8 .u64 sum; .shared .align 4 .u32 most;
            mov.u64 %rd9, 0; st.shared.u64 [sum], %rd9; st.shared.u32 [most], 0;
            barrier.cluster.arrive; barrier.cluster.wait;
            mapa.shared::cluster.u32 %r6, sum, 0; cvt.u64.u32 %rd2, %r1;
            red.relaxed.cluster.shared::cluster.add.u64 [%r6], %rd2;
            mapa.shared::cluster.u32 %r7, most, 0;
            atom.acq_rel.cluster.shared::cluster.max.u32 %r8, [%r7], %r1;
            xor.b32 %r9, %r3, 1; mov.u32 %r10, tile; mad.lo.u32 %r10, %r2, 4, %r10;
            mapa.shared::cluster.u32 %r11, %r10, %r9;
            st.release.cluster.shared::cluster.u32 [%r11], %r1;
            barrier.cluster.arrive; barrier.cluster.wait;
            ld.shared.u32 %r12, [%r10]; ld.shared.u64 %rd3, [sum]; cvt.u32.u64 %r13, %rd3;
            ld.shared.u32 %r14, [most];
            st.global.v4.u32 [%rd1], {%r12, %r13, %r14, %r3};
            """);
    for (int t = 0; t < 8 * 96; t++) {
      int block = t / 96;
      int first = block / 4 * 4 * 96;
      int sum = 0;
      for (int k = first; k < first + 384; k++) {
        sum += k;
      }
      boolean leader = block % 4 == 0;
      assertThat(ClusterKernels.words(got, t))
          .containsExactly(
              (block ^ 1) * 96 + t % 96, leader ? sum : 0, leader ? first + 383 : 0, block % 4);
    }
  }

  @Test
  void runsClustersInEveryDirection() {
    String body =
        """
        .shared .align 4 .u32 word;
        ld.param.u64 %rd1, [out]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y; mov.u32 %r3, %ctaid.z;
        mov.u32 %r4, %nctaid.x; mov.u32 %r5, %nctaid.y;
        mad.lo.u32 %r6, %r3, %r5, %r2; mad.lo.u32 %r6, %r6, %r4, %r1;
        st.shared.u32 [word], %r6; mad.wide.u32 %rd1, %r6, 4, %rd1;
        barrier.cluster.arrive; barrier.cluster.wait;
        mov.u32 %r7, %cluster_nctarank; mov.u32 %r8, 0; mov.u32 %r9, 0;
        NEXT: mapa.shared::cluster.u32 %r10, word, %r8; ld.shared::cluster.u32 %r11, [%r10];
        add.u32 %r9, %r9, %r11; add.u32 %r8, %r8, 1; setp.lt.u32 %p1, %r8, %r7; @%p1 bra NEXT;
        st.global.u32 [%rd1], %r9;
        barrier.cluster.arrive; barrier.cluster.wait;
        """;
    KernelCode code = ClusterKernels.load(device, "", body);
    for (Dim3 cluster : List.of(new Dim3(3, 1, 1), new Dim3(1, 2, 2), new Dim3(2, 2, 2))) {
      Dim3 grid = new Dim3(6, 4, 2);
      Allocation out = device.allocate(grid.count() * 4);
      byte[] arguments = Device.block(code, out, out);
      for (int workers = 1; workers <= 2; workers++) {
        try (Engine engine = new Engine(device.memory, workers)) {
          engine.run(new LaunchRequest(code, grid, Dim3.of(1), 0, arguments, false, null, cluster));
        }
        int[] got = Device.ints(out);
        for (int k = 0; k < got.length; k++) {
          int x = k % 6 / cluster.x() * cluster.x();
          int y = k / 6 % 4 / cluster.y() * cluster.y();
          int z = k / 24 / cluster.z() * cluster.z();
          int sum = 0;
          for (int dz = 0; dz < cluster.z(); dz++) {
            for (int dy = 0; dy < cluster.y(); dy++) {
              for (int dx = 0; dx < cluster.x(); dx++) {
                sum += ((z + dz) * 4 + y + dy) * 6 + x + dx;
              }
            }
          }
          assertThat(got[k]).as("%s, block %d", cluster, k).isEqualTo(sum);
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "mapa.shared::cluster.u32 %r6, tile, 2; ld.shared::cluster.u32 %r7, [%r6];|block 2 of a cluster of 2",
        "mapa.shared::cluster.u32 %r6, tile, 1; ld.shared::cluster.u32 %r7, [%r6+64];|block 1 of the cluster, which has 64",
        "mapa.shared::cluster.u32 %r6, tile, 1; ld.shared.u32 %r7, [%r6];|shared memory of the block",
        "mov.u64 %rd2, 0x100000000; ld.shared::cluster.u32 %r7, [%rd2];|shared memory of the block"
      })
  void faultsOutsideTheMemoryOfTheCluster(String what) {
    String[] parts = what.split("\\|", 2);
    String body = ".shared .align 16 .b8 tile[64];" + parts[0] + " st.global.u32 [%rd1], %r7;";
    assertThatThrownBy(() -> ClusterKernels.run(device, Execution.ADAPTIVE, 2, 32, 2, body))
        .isInstanceOfSatisfying(DeviceFault.class, e -> assertThat(e.cudaError()).isEqualTo(700))
        .hasMessageContaining(parts[1]);
  }

  @Test
  void faultsAtTheMemoryOfABlockThatHasEnded() {
    String body =
        """
        .shared .align 16 .b8 tile[64];
        setp.eq.u32 %p1, %r3, 1; @%p1 exit;
        barrier.cluster.arrive; barrier.cluster.wait;
        mapa.shared::cluster.u32 %r6, tile, 1; st.shared::cluster.u32 [%r6], 5;
        """;
    assertThatThrownBy(() -> ClusterKernels.run(device, Execution.ADAPTIVE, 2, 32, 2, body))
        .isInstanceOfSatisfying(DeviceFault.class, e -> assertThat(e.cudaError()).isEqualTo(719))
        .hasMessageContaining("block 1 of the cluster, which has ended");
  }

  @Test
  void refusesAGridWithoutWholeClusters() {
    KernelCode code = ClusterKernels.load(device, "", "");
    Allocation out = device.allocate(16);
    assertThatThrownBy(() -> ClusterKernels.request(code, 5, 32, 2, out, out))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("has no whole clusters of (2, 1, 1)");
  }

  @Test
  void takesTheClusterThatTheKernelRequires() {
    KernelCode code =
        ClusterKernels.load(
            device,
            ".explicitcluster .reqnctapercluster 2, 1, 1 .maxclusterrank 4",
            ClusterKernels.OWN_SLOT
                + "mov.u32 %r6, %cluster_nctarank; mov.pred %p1, %is_explicit_cluster;"
                + " selp.u32 %r7, 1, 0, %p1; st.global.v4.u32 [%rd1], {%r3, %r6, %r7, %r7};");
    assertThat(code.requiredCluster()).isEqualTo(Dim3.of(2));
    assertThat(code.maxClusterRank()).isEqualTo(4);
    assertThat(code.mustNameCluster()).isFalse();
    Allocation out = device.allocate(4 * 16);
    device.engine.run(ClusterKernels.request(code, 4, 1, 0, out, out));
    assertThat(Device.ints(out)).containsExactly(0, 2, 1, 1, 1, 2, 1, 1, 0, 2, 1, 1, 1, 2, 1, 1);
    assertThatThrownBy(() -> ClusterKernels.request(code, 4, 1, 4, out, out))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("requires clusters of (2, 1, 1)");
    KernelCode named = ClusterKernels.load(device, ".explicitcluster", "");
    assertThat(named.mustNameCluster()).isTrue();
  }
}
