package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.softgpu.engine.exec.TensorElement;
import dev.reprise.softgpu.engine.exec.TensorMap;
import dev.reprise.softgpu.engine.exec.TensorRegion;
import dev.reprise.softgpu.engine.exec.TensorSwizzle;
import dev.reprise.softgpu.memory.Allocation;
import java.util.Arrays;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Copies of four rows of a matrix, and copies for pairs of blocks. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class TensorRowTest {
  private static final long SEED = 404;

  private final TensorKernels kernels = new TensorKernels();

  @AfterEach
  void close() {
    kernels.close();
  }

  private TensorMap matrix(SplittableRandom random) {
    TensorElement type = TensorElement.values()[random.nextInt(10)];
    long width = random.nextInt(1, 60);
    long stride = (type.bytes(width) + 15) / 16 * 16;
    long rows = random.nextInt(1, 20);
    return new TensorMap(
        type,
        kernels.memory(random, stride * rows).base(),
        new long[] {width, rows},
        new long[] {stride},
        new int[] {1, 1},
        new TensorRegion.Tile(new int[] {128 / type.bits() * random.nextInt(1, 4), 1}),
        TensorSwizzle.NONE,
        false);
  }

  private static void visit(TensorMap map, int[] at, TensorKernels.Visit visit) {
    int element = map.type().bits() / 8;
    int row = map.region().row();
    for (int n = 0; n < 4 * row; n++) {
      long place = TensorKernels.place(map, at[0] + n % row, at[1 + n / row]);
      for (int b = 0; b < element; b++) {
        visit.at(n * element + b, place < 0 ? -1 : place + b);
      }
    }
  }

  @Test
  void gathersFourRows() {
    SplittableRandom random = new SplittableRandom(SEED);
    int[] counts = new int[2];
    for (int n = 0; n < 40; n++) {
      TensorMap map = matrix(random);
      int[] at = random.ints(5, -3, 22).toArray();
      byte[] from = kernels.content(map);
      byte[] want = TensorKernels.tile();
      visit(
          map,
          at,
          (offset, place) -> {
            want[offset] = place < 0 ? 0 : from[(int) place];
            counts[place < 0 ? 0 : 1]++;
          });
      int bytes = 4 * (int) map.type().bytes(map.region().row());
      assertThat(kernels.loaded(map, "tile::gather4", at, new int[0], bytes))
          .as("seed %d, copy %d of %s at %s", SEED, n, map, Arrays.toString(at))
          .isEqualTo(want);
    }
    assertThat(counts[0]).isPositive();
    assertThat(counts[1]).isPositive();
  }

  @Test
  void scattersFourRows() {
    SplittableRandom random = new SplittableRandom(-SEED);
    for (int n = 0; n < 30; n++) {
      TensorMap map = matrix(random);
      int[] at = random.ints(0, 22).distinct().limit(5).toArray();
      byte[] tile = TensorKernels.tile();
      byte[] want = kernels.content(map);
      visit(
          map,
          at,
          (offset, place) -> {
            if (place >= 0) {
              want[(int) place] = tile[offset];
            }
          });
      String form = "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group";
      String body = TensorKernels.store(form, 5) + TensorKernels.WAIT_STORE;
      kernels.run(
          Execution.ADAPTIVE, body, map, kernels.device.allocate(TensorKernels.TILE), 1, at);
      assertThat(kernels.content(map))
          .as("seed %d, copy %d of %s at %s", SEED, n, map, Arrays.toString(at))
          .isEqualTo(want);
    }
  }

  @Test
  void addsToARowThatIsNamedTwice() {
    TensorMap map = words(1);
    int[] want = Device.ints(memory(map));
    int[] rows = {3, 0, 3, 7};
    for (int n = 0; n < 4; n++) {
      for (int k = 0; k < 8; k++) {
        want[rows[n] * 8 + k] += 1000 + n * 8 + k;
      }
    }
    String form = "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile::scatter4.bulk_group";
    String body = TensorKernels.store(form, 5) + TensorKernels.WAIT_STORE;
    kernels.run(
        Execution.ADAPTIVE,
        body,
        map,
        kernels.device.allocate(TensorKernels.TILE),
        1,
        0,
        3,
        0,
        3,
        7);
    assertThat(Device.ints(memory(map))).isEqualTo(want);
  }

  private Allocation memory(TensorMap map) {
    return Objects.requireNonNull(kernels.device.memory.find(map.address()));
  }

  /** 16 rows of 8 words. */
  private TensorMap words(int boxRows) {
    return new TensorMap(
        TensorElement.U32,
        kernels.memory(new SplittableRandom(SEED), 512).base(),
        new long[] {8, 16},
        new long[] {32},
        new int[] {1, 1},
        new TensorRegion.Tile(new int[] {8, boxRows}),
        TensorSwizzle.NONE,
        false);
  }

  @Test
  void needsABoxOfOneRow() {
    TensorMap map = words(4);
    assertThatThrownBy(() -> kernels.loaded(map, "tile::gather4", new int[5], new int[0], 128))
        .isInstanceOfSatisfying(DeviceFault.class, e -> assertThat(e.cudaError()).isEqualTo(719))
        .hasMessageContaining("copies four rows by a box of 4 rows, which must be 1");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "cp.async.bulk.prefetch.tensor.2d.L2.global.tile::gather4 [%rd3, {0, 1, 2, 3, 4}];|",
        "cp.async.bulk.prefetch.tensor.2d.L2.global [%rd3, {0, -1}];|",
        "cp.async.bulk.prefetch.tensor.3d.L2.global [%rd3, {0, 1, 2}];|copies a tensor of 2 dimensions by 3 coordinates",
        "cp.async.bulk.prefetch.tensor.3d.L2.global.im2col [%rd3, {0, 1, 2}], {3};|copies in mode .im2col by a map that is made for .tile",
        "cp.async.bulk.prefetch.tensor.2d.L2.global [%rd2, {0, 1}];|copies what no tensor map is made of"
      })
  void prefetchesWhatCouldBeCopied(String what) {
    String[] parts = what.split("\\|", -1);
    TensorMap map = words(1);
    Allocation out = kernels.device.allocate(TensorKernels.TILE);
    if (parts[1].isEmpty()) {
      byte[] before = kernels.content(map);
      kernels.run(Execution.ADAPTIVE, parts[0], map, out, 1);
      assertThat(kernels.content(map)).isEqualTo(before);
    } else {
      assertThatThrownBy(() -> kernels.run(Execution.ADAPTIVE, parts[0], map, out, 1))
          .hasMessageContaining(parts[1]);
    }
  }

  /** Block 1 of a cluster copies; which blocks get the words, and whose barriers are told? */
  private byte[] pair(String form, int mask, int blocks, int target, int told, int expecting) {
    TensorMap map = words(1);
    String body =
        """
        mov.u32 %%r20, %%cluster_ctarank;
        mapa.shared::cluster.u32 %%r21, %%r5, %d; mapa.shared::cluster.u32 %%r22, %%r6, %d;
        mov.u16 %%rs4, %d; mov.u32 %%r23, 1; shl.b32 %%r23, %%r23, %%r20; and.b32 %%r23, %%r23, %d;
        setp.ne.u32 %%p5, %%r23, 0; and.pred %%p6, %%p5, %%p1;
        @%%p6 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%%r6], %%r15;
        barrier.cluster.arrive; barrier.cluster.wait;
        setp.eq.u32 %%p4, %%r20, 1; and.pred %%p4, %%p4, %%p1;
        @%%p4 %s;
        @!%%p5 bra OVER;
        WAIT: mbarrier.try_wait.parity.shared::cta.b64 %%p3, [%%r6], 0; @!%%p3 bra WAIT;
        OVER: barrier.cluster.arrive; barrier.cluster.wait;
        """
            .formatted(target, told, mask, expecting, form);
    int bytes = 32 * (mask == 0 ? 1 : Integer.bitCount(mask) / Integer.bitCount(expecting));
    byte[] got =
        kernels.run(
            Execution.ADAPTIVE,
            body + TensorKernels.WRITE,
            map,
            kernels.device.allocate((long) blocks * TensorKernels.TILE),
            blocks,
            new int[] {0, 5},
            new int[0],
            bytes);
    byte[] row = Arrays.copyOfRange(kernels.content(map), 5 * 32, 6 * 32);
    byte[] all = new byte[blocks];
    for (int b = 0; b < blocks; b++) {
      byte[] tile = Arrays.copyOfRange(got, b * TensorKernels.TILE, b * TensorKernels.TILE + 32);
      all[b] = (byte) (Arrays.equals(tile, row) ? 1 : 0);
    }
    return all;
  }

  private static final String ONE =
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.%s"
          + " [%%r21], [%%rd3, {%%r10, %%r11}], [%%r22]";

  private static final String SEVERAL =
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
          + ".multicast::cluster.%s [%%r21], [%%rd3, {%%r10, %%r11}], [%%r22], %%rs4";

  @ParameterizedTest
  @CsvSource({"cta_group::1, 3, 3, 8", "cta_group::2, 3, 2, 4", "cta_group::2, 0, 1, 2"})
  void tellsABarrierOfThePair(String group, int target, int told, int expecting) {
    byte[] want = new byte[4];
    want[target] = 1;
    assertThat(pair(ONE.formatted(group), 0, 4, target, told, expecting)).isEqualTo(want);
  }

  @Test
  void tellsTheEvenOrTheOddBlocksOfAllPairs() {
    assertThat(pair(SEVERAL.formatted("cta_group::2"), 0xf, 4, 1, 2, 0b0101))
        .containsExactly(1, 1, 1, 1);
    assertThat(pair(SEVERAL.formatted("cta_group::2"), 0xf, 4, 1, 1, 0b1010))
        .containsExactly(1, 1, 1, 1);
    assertThat(pair(SEVERAL.formatted("cta_group::1"), 0b1101, 4, 1, 1, 0b1101))
        .containsExactly(1, 0, 1, 1);
  }

  @Test
  void tellsNoBarrierElsewhere() {
    assertThatThrownBy(() -> pair(ONE.formatted("cta_group::2"), 0, 4, 3, 1, 2))
        .isInstanceOfSatisfying(DeviceFault.class, e -> assertThat(e.cudaError()).isEqualTo(719))
        .hasMessageContaining("brings bytes to block 3 and tells a barrier of block 1");
    assertThatThrownBy(() -> pair(ONE.formatted("cta_group::1"), 0, 4, 3, 2, 4))
        .hasMessageContaining("brings bytes to block 3 and tells a barrier of block 2");
    assertThatThrownBy(() -> pair(SEVERAL.formatted("cta_group::2"), 4, 3, 1, 1, 2))
        .hasMessageContaining("tells block 3 of a cluster of 3");
  }
}
