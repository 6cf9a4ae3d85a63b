package dev.reprise.softgpu.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.softgpu.engine.Dim3;
import dev.reprise.softgpu.engine.Engine;
import dev.reprise.softgpu.engine.KernelCode;
import dev.reprise.softgpu.engine.LaunchRequest;
import dev.reprise.softgpu.engine.LoadedModule;
import dev.reprise.softgpu.memory.AddressSpace;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** All numbers are worked out by hand from the addresses that the lanes use. */
class ProfilerTest {
  private static final String HEAD =
      """
      (.param .u64 data, .param .u32 stride, .param .u32 offset)
      {
        .reg .b32 %r<6>; .reg .b64 %rd<4>; .reg .f32 %f<3>; .reg .f64 %d; .reg .pred %p;
        .shared .align 16 .b8 tile[4096];
        ld.param.u64 %rd1, [data];
        ld.param.u32 %r1, [stride];
        ld.param.u32 %r2, [offset];
        mov.u32 %r3, %tid.x;
        mad.lo.u32 %r4, %r3, %r1, %r2;
        cvt.u64.u32 %rd2, %r4;
        add.u64 %rd3, %rd1, %rd2;
        mov.u32 %r5, tile;
        add.u32 %r5, %r5, %r4;
      """;

  private static final String PTX =
      ".version 8.0\n.target sm_75\n.address_size 64\n"
          + kernel("load", "ld.global.f32 %f1, [%rd3];")
          + kernel("generic", "ld.f32 %f1, [%rd3];")
          + kernel("store", "st.global.f32 [%rd3], %f1;")
          + kernel("atomic", "red.global.add.u32 [%rd3], %r3;")
          + kernel("shared", "ld.shared.f32 %f1, [%r5];")
          + kernel("pairs", "ld.shared.v2.f32 {%f1, %f2}, [%r5];")
          + kernel(
              "sums", "fma.rn.f32 %f1, %f1, %f1, %f1; add.f32 %f1, %f1, %f1; neg.f32 %f1, %f1;")
          + kernel(
              "part",
              "setp.lt.u32 %p, %r3, %r1; @%p bra side; add.u32 %r3, %r3, 1; side: bar.sync 0;");

  private final AddressSpace memory = new AddressSpace(1 << 20);
  private final Engine engine = new Engine(memory, 1);
  private final Profiler profiler = new Profiler(engine);
  private final LoadedModule module = LoadedModule.load(PTX, memory);
  private final long data = memory.allocate(1 << 16, 256, "data").base();

  private static String kernel(String name, String body) {
    return ".entry " + name + HEAD + body + " ret; }\n";
  }

  @AfterEach
  void close() {
    engine.close();
    memory.close();
  }

  private void launch(String kernel, int blocks, int threads, int stride, int offset) {
    KernelCode code = Objects.requireNonNull(module.kernel(kernel));
    byte[] parameters =
        ByteBuffer.allocate(code.parameterBytes())
            .order(ByteOrder.LITTLE_ENDIAN)
            .putLong(data)
            .putInt(stride)
            .putInt(offset)
            .array();
    engine.run(new LaunchRequest(code, Dim3.of(blocks), Dim3.of(threads), 0, parameters));
  }

  private KernelProfile profile(String kernel, int threads, int stride, int offset) {
    profiler.start();
    launch(kernel, 1, threads, stride, offset);
    profiler.stop();
    return profiler.kernels().getFirst();
  }

  @ParameterizedTest
  @CsvSource({
    "4, 0, 4", // 128 neighbouring bytes
    "4, 32, 4", // the same, one sector further
    "4, 16, 5", // half a sector further
    "8, 0, 8", // every other word
    "32, 0, 32", // a sector for each lane
    "128, 0, 32",
    "0, 0, 1", // one word for all
  })
  void aLoadOfAWarpTouchesTheseSectors(int stride, int offset, int sectors) {
    for (String kernel : List.of("load", "generic")) {
      KernelProfile found = profile(kernel, 32, stride, offset);
      ProfileAssert.assertThat(found)
          .sectorsPerLoad()
          .isEqualTo(sectors)
          .count("global_load_requests")
          .isEqualTo(1);
      assertThat(found.globalLoadBytes()).isEqualTo(128);
      assertThat(found.globalStoreBytes()).isZero();
    }
  }

  @Test
  void storesAndAtomicsHaveTheirOwnCounts() {
    KernelProfile store = profile("store", 40, 4, 0);
    assertThat(store.count("global_store_requests")).isEqualTo(2);
    assertThat(store.count("global_store_sectors")).isEqualTo(5);
    assertThat(store.globalStoreBytes()).isEqualTo(160);
    KernelProfile atomic = profile("atomic", 32, 0, 0);
    assertThat(atomic.count("global_atomic_requests")).isEqualTo(1);
    assertThat(atomic.count("global_atomic_sectors")).isEqualTo(1);
    assertThat(atomic.count("warp_instructions.atomic")).isEqualTo(1);
    assertThat(atomic.globalLoadBytes()).isZero();
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "4, 0", "8, 1", "12, 0", "16, 3", "32, 7", "64, 15", "128, 31"})
  void lanesInOneBankWaitForEachOther(int stride, int extra) {
    KernelProfile found = profile("shared", 32, stride, 0);
    ProfileAssert.assertThat(found).bankConflicts().isEqualTo(extra);
    assertThat(found.count("shared_wavefronts")).isEqualTo(1 + extra);
    assertThat(found.count("shared_requests")).isEqualTo(1);
  }

  @Test
  void eightBytesALaneTakeTwoWavefrontsAndNoConflict() {
    KernelProfile found = profile("pairs", 32, 8, 0);
    assertThat(found.count("shared_wavefronts")).isEqualTo(2);
    assertThat(found.bankConflicts()).isZero();
  }

  @Test
  void aFusedMultiplyAndAddIsTwoFlopsAndANegationNone() {
    KernelProfile found = profile("sums", 20, 0, 0);
    assertThat(found.flops()).isEqualTo(20 * 3);
    assertThat(found.count("warp_instructions.f32")).isEqualTo(3);
    assertThat(found.count("thread_instructions.f32")).isEqualTo(60);
  }

  @Test
  void aBranchThatPartsAWarpIsDivergent() {
    KernelProfile whole = profile("part", 64, 32, 0);
    assertThat(whole.count("branches")).isEqualTo(2);
    assertThat(whole.divergentBranches()).isZero();
    KernelProfile parted = profile("part", 64, 40, 0);
    assertThat(parted.divergentBranches()).isEqualTo(1);
    assertThat(parted.count("warp_instructions.barrier")).isEqualTo(2);
    // Lanes 8 to 31 of the second warp add.
    assertThat(parted.count("thread_instructions.integer")).isEqualTo(64 * 4 + 24);
  }

  @Test
  void launchesAreCountedOneByOneAndTogether() {
    profiler.start();
    launch("load", 3, 64, 4, 0);
    launch("load", 1, 32, 4, 0);
    launch("sums", 1, 32, 0, 0);
    profiler.stop();
    launch("load", 1, 32, 4, 0);
    assertThat(profiler.launches())
        .extracting(p -> p.count("global_load_requests"))
        .containsExactly(6L, 1L, 0L);
    assertThat(profiler.kernels())
        .extracting(p -> p.kernel() + " " + p.launches() + " " + p.count("global_load_requests"))
        .containsExactly("load 2 7", "sums 1 0");
    // 9 to set up, the load and the end.
    assertThat(profiler.launches().get(1).warpInstructions()).isEqualTo(11);
    assertThat(profiler.launches().get(1).lanesPerInstruction()).isEqualTo(32);
  }

  @Test
  void anAssertionSaysWhatWasCounted() {
    KernelProfile found = profile("load", 32, 128, 0);
    assertThatThrownBy(() -> ProfileAssert.assertThat(found).sectorsPerLoad().isAtMost(4))
        .isInstanceOf(AssertionError.class)
        .hasMessageStartingWith(
            "kernel load (1 launches): sectors per global load should be at most 4.0 but is 32.0");
  }

  @Test
  void reportsHaveTheSameNumbers() {
    List<KernelProfile> found = List.of(new KernelProfile("k", 2, java.util.Map.of("flops", 7L)));
    assertThat(ProfileReport.json(found))
        .isEqualTo("[{\"kernel\":\"k\",\"launches\":2,\"flops\":7}]");
    assertThat(ProfileReport.csv(found)).isEqualTo("kernel,launches,flops\nk,2,7\n");
    assertThat(ProfileReport.lines(found)).contains("kernel k, launches 2");
  }
}
