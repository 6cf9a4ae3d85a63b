package dev.reprise.softgpu.engine;

import static dev.reprise.softgpu.engine.TensorKernels.TILE;
import static dev.reprise.softgpu.engine.TensorKernels.WAIT;
import static dev.reprise.softgpu.engine.TensorKernels.WRITE;
import static dev.reprise.softgpu.engine.TensorKernels.load;
import static dev.reprise.softgpu.engine.TensorKernels.store;
import static dev.reprise.softgpu.engine.TensorKernels.tile;
import static dev.reprise.softgpu.engine.TensorKernels.visit;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.softgpu.engine.exec.TensorElement;
import dev.reprise.softgpu.engine.exec.TensorMap;
import dev.reprise.softgpu.engine.exec.TensorRegion;
import dev.reprise.softgpu.engine.exec.TensorSwizzle;
import dev.reprise.softgpu.memory.Allocation;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code cp.async.bulk.tensor}: boxes of tensors, against plain loops over their elements. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class TensorCopyTest {
  private static final long SEED = 1964;

  private final TensorKernels kernels = new TensorKernels();
  private final Device device = kernels.device;

  @AfterEach
  void close() {
    kernels.close();
  }

  private TensorMap random(SplittableRandom random, int rank, TensorElement type) {
    long[] extents = new long[rank];
    long[] strides = new long[rank - 1];
    int[] box = new int[rank];
    int[] steps = new int[rank];
    int unit = 128 / type.bits();
    long stride = 1;
    for (int k = 0; k < rank; k++) {
      extents[k] = random.nextInt(1, k == 0 ? 40 : 9);
      steps[k] = random.nextInt(1, 4);
      box[k] = k == 0 ? unit * random.nextInt(1, 5) : random.nextInt(1, rank > 3 ? 4 : 8);
      stride =
          k == 0
              ? (type.bytes(extents[0]) + 15) / 16 * 16 + 16L * random.nextInt(3)
              : stride * extents[k];
      if (k < rank - 1) {
        strides[k] = stride;
      }
    }
    Allocation memory = kernels.memory(random, stride);
    return new TensorMap(
        type,
        memory.base(),
        extents,
        strides,
        steps,
        new TensorRegion.Tile(box),
        TensorSwizzle.NONE,
        false);
  }

  private static int[] somewhere(SplittableRandom random, TensorMap map, int least) {
    int[] at = new int[map.rank()];
    for (int k = 0; k < at.length; k++) {
      int extent = (int) map.extents()[k];
      at[k] = random.nextInt(least, extent + 2);
    }
    return at;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5})
  void bringsBoxesToSharedMemory(int rank) {
    SplittableRandom random = new SplittableRandom(SEED + rank);
    for (int n = 0; n < 25; n++) {
      TensorElement type = TensorElement.values()[random.nextInt(10)];
      TensorMap map = random(random, rank, type);
      int[] at = somewhere(random, map, -8);
      byte[] from = kernels.content(map);
      byte[] want = tile();
      visit(map, at, (offset, place) -> want[128 + offset] = place < 0 ? 0 : from[(int) place]);
      byte[] got =
          kernels.run(
              n % 5 == 0 ? Execution.COMPILED : Execution.INTERPRETED,
              load(rank, "+128") + WAIT + WRITE,
              map,
              device.allocate(TILE),
              1,
              at);
      assertThat(got)
          .as("seed %d, box %d of %s at %s", SEED, n, map, Arrays.toString(at))
          .isEqualTo(want);
    }
  }

  @ParameterizedTest
  @EnumSource(Execution.class)
  void arrivesWhenTheBarrierIsAsked(Execution execution) {
    TensorMap map = random(new SplittableRandom(SEED), 2, TensorElement.U32);
    byte[] got =
        kernels.run(
            execution, load(2, "") + "bar.sync 0;\n" + WRITE, map, device.allocate(TILE), 1, 0, 0);
    assertThat(got).isEqualTo(tile());
  }

  @ParameterizedTest
  @CsvSource({"F16, 7ff7", "BF16, 7ff7", "F32, 7fffffff", "F64, 7fffffffffffffff"})
  void fillsWithNan(TensorElement type, String nan) {
    TensorMap tensor = random(new SplittableRandom(SEED), 2, type);
    TensorMap map = TensorKernels.with(tensor, tensor.region(), TensorSwizzle.NONE, true);
    int[] at = {-3, 2};
    byte[] from = kernels.content(map);
    byte[] want = tile();
    long bits = Long.parseUnsignedLong(nan, 16);
    visit(
        map,
        at,
        (offset, place) ->
            want[offset] =
                place < 0 ? (byte) (bits >>> offset % (type.bits() / 8) * 8) : from[(int) place]);
    byte[] got =
        kernels.run(
            Execution.ADAPTIVE, load(2, "") + WAIT + WRITE, map, device.allocate(TILE), 1, at);
    assertThat(got).isEqualTo(want);
  }

  /** A tensor of 24 rows of 128 bytes, of which a box takes rows of so many bytes. */
  private TensorMap rows(int bytes, int rows, TensorSwizzle swizzle) {
    byte[] content = new byte[24 * 128];
    new SplittableRandom(SEED).nextBytes(content);
    int[] words = new int[content.length / 4];
    ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN).asIntBuffer().get(words);
    Allocation memory = device.of(words);
    return new TensorMap(
        TensorElement.U16,
        memory.base(),
        new long[] {64, 24},
        new long[] {128},
        new int[] {1, 1},
        new TensorRegion.Tile(new int[] {bytes / 2, rows}),
        swizzle,
        false);
  }

  @ParameterizedTest
  @CsvSource({"32, 2", "64, 4", "128, 8"})
  void exchangesChunksOfSharedMemory(int span, int lines) {
    TensorMap map = rows(span, 16, TensorSwizzle.valueOf("B" + span));
    byte[] from = kernels.content(map);
    for (int start : new int[] {0, 128, 1024 + 256}) {
      byte[] want = tile();
      visit(
          map,
          new int[] {0, 3},
          (offset, place) -> {
            int address = start + offset;
            int line = address / 128;
            int chunk = address / 16 % 8;
            int exchanged = chunk ^ line % lines;
            want[line * 128 + exchanged * 16 + address % 16] = from[(int) place];
          });
      String body = load(2, "+" + start) + WAIT + WRITE;
      byte[] got = kernels.run(Execution.ADAPTIVE, body, map, device.allocate(TILE), 1, 0, 3);
      assertThat(got).as("at %d", start).isEqualTo(want);
      // And back again.
      String back =
          load(2, "+" + start)
              + WAIT
              + "@%p1 cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd3, {%r12, %r13}],"
              + " [%r5+"
              + start
              + "];\ncp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n";
      kernels.run(Execution.ADAPTIVE, back, map, device.allocate(TILE), 1, 0, 3, 0, 8);
      byte[] after = kernels.content(map);
      byte[] moved = from.clone();
      for (int row = 0; row < 16; row++) {
        System.arraycopy(from, (3 + row) * 128, moved, (8 + row) * 128, span);
      }
      assertThat(after).isEqualTo(moved);
      kernels.setContent(map, from);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5})
  void takesBoxesToGlobalMemory(int rank) {
    SplittableRandom random = new SplittableRandom(SEED - rank);
    for (int n = 0; n < 15; n++) {
      TensorMap map = random(random, rank, TensorElement.values()[random.nextInt(10)]);
      int[] at = somewhere(random, map, 0);
      byte[] want = kernels.content(map);
      byte[] tile = tile();
      visit(
          map,
          at,
          (offset, place) -> {
            if (place >= 0) {
              want[(int) place] = tile[offset];
            }
          });
      String form = "cp.async.bulk.tensor." + rank + "d.global.shared::cta.bulk_group";
      String body = store(form, rank) + "cp.async.bulk.wait_group.read 0;";
      kernels.run(Execution.ADAPTIVE, body, map, device.allocate(TILE), 1, at);
      assertThat(kernels.content(map))
          .as("seed %d, box %d of %s at %s", SEED, n, map, Arrays.toString(at))
          .isEqualTo(want);
    }
  }

  @Test
  void leavesGlobalMemoryAloneWhereNobodyWaits() {
    TensorMap map = random(new SplittableRandom(SEED), 2, TensorElement.U32);
    byte[] before = kernels.content(map);
    String form = "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group";
    kernels.run(Execution.ADAPTIVE, store(form, 2), map, device.allocate(TILE), 1, 0, 0);
    assertThat(kernels.content(map)).isEqualTo(before);
  }

  @ParameterizedTest
  @CsvSource({"add, U32", "add, S32", "add, U64", "min, S32", "max, U32", "inc, U32", "xor, U64"})
  void reducesIntoGlobalMemory(String op, TensorElement type) {
    SplittableRandom random = new SplittableRandom(SEED);
    TensorMap map = random(random, 3, type);
    int[] at = {1, 1, 0};
    byte[] want = kernels.content(map);
    ByteBuffer target = ByteBuffer.wrap(want).order(ByteOrder.LITTLE_ENDIAN);
    ByteBuffer tile = ByteBuffer.wrap(tile()).order(ByteOrder.LITTLE_ENDIAN);
    int size = type.bits() / 8;
    visit(
        map,
        at,
        (offset, place) -> {
          if (place >= 0 && offset % size == 0) {
            int p = (int) place;
            if (size == 8) {
              long x = target.getLong(p);
              long y = tile.getLong(offset);
              target.putLong(p, op.equals("add") ? x + y : x ^ y);
            } else {
              int x = target.getInt(p);
              int y = tile.getInt(offset);
              target.putInt(
                  p,
                  switch (op) {
                    case "add" -> x + y;
                    case "min" -> Math.min(x, y);
                    case "max" -> Integer.compareUnsigned(x, y) > 0 ? x : y;
                    default -> Integer.compareUnsigned(x, y) >= 0 ? 0 : x + 1;
                  });
            }
          }
        });
    String form = "cp.reduce.async.bulk.tensor.3d.global.shared::cta." + op + ".tile.bulk_group";
    String body = store(form, 3) + "cp.async.bulk.wait_group 0;";
    kernels.run(Execution.ADAPTIVE, body, map, device.allocate(TILE), 1, at);
    assertThat(want).isNotEqualTo(new byte[want.length]);
    assertThat(kernels.content(map)).isEqualTo(want);
  }

  @Test
  void goesToSeveralBlocksAtOnce() {
    TensorMap map = rows(128, 8, TensorSwizzle.B128);
    byte[] from = kernels.content(map);
    byte[] want = tile();
    visit(
        map,
        new int[] {0, 5},
        (offset, place) -> want[offset ^ (offset / 128 % 8) * 16] = from[(int) place]);
    String body =
        """
        @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r6], %r15;
        barrier.cluster.arrive; barrier.cluster.wait;
        mov.u32 %r20, %cluster_ctarank; setp.eq.u32 %p4, %r20, 1; and.pred %p4, %p4, %p1;
        mov.u16 %rs1, 7; mov.u64 %rd6, 0;
        @%p4 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [%r5], [%rd3, {%r10, %r11}], [%r6], %rs1, %rd6;
        """
            + WAIT
            + WRITE
            + "barrier.cluster.arrive; barrier.cluster.wait;\n";
    byte[] got = kernels.run(Execution.ADAPTIVE, body, map, device.allocate(3 * TILE), 3, 0, 5);
    for (int block = 0; block < 3; block++) {
      assertThat(Arrays.copyOfRange(got, block * TILE, (block + 1) * TILE))
          .as("block %d", block)
          .isEqualTo(want);
    }
  }

  @Test
  void goesToAnotherBlock() {
    TensorMap map = rows(64, 8, TensorSwizzle.NONE);
    byte[] from = kernels.content(map);
    byte[] want = tile();
    visit(map, new int[] {32, 0}, (offset, place) -> want[offset] = from[(int) place]);
    String body =
        """
        @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r6], %r15;
        mov.u32 %r20, %cluster_ctarank; xor.b32 %r20, %r20, 1;
        mapa.shared::cluster.u32 %r21, %r5, %r20; mapa.shared::cluster.u32 %r22, %r6, %r20;
        cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%rd3, {%r10, %r11}]; prefetch.tensormap [%rd3];
        @%p1 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r21], [%rd3, {%r10, %r11}], [%r22];
        """
            + WAIT
            + WRITE
            + "barrier.cluster.arrive; barrier.cluster.wait;\n";
    byte[] got = kernels.run(Execution.ADAPTIVE, body, map, device.allocate(2 * TILE), 2, 32, 0);
    assertThat(Arrays.copyOf(got, TILE)).isEqualTo(want);
    assertThat(Arrays.copyOfRange(got, TILE, 2 * TILE)).isEqualTo(want);
  }

  /** Such a map can be made, but no block has room for what it copies. */
  @Test
  void refusesAHugeBoxAtOnce() {
    TensorMap map =
        new TensorMap(
            TensorElement.F64,
            device.allocate(4096).base(),
            new long[] {256, 256, 256, 256, 256},
            new long[] {16, 16, 16, 16},
            new int[] {1, 1, 1, 1, 1},
            new TensorRegion.Tile(new int[] {256, 256, 256, 256, 256}),
            TensorSwizzle.NONE,
            false);
    assertThatThrownBy(() -> kernels.loaded(map, "tile", new int[5], new int[0], 16))
        .isInstanceOfSatisfying(DeviceFault.class, e -> assertThat(e.cudaError()).isEqualTo(719))
        .hasMessageContaining("copies 8796093022208 bytes, more than shared memory has");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%r5+64], [%rd3, {%r10, %r11}], [%r6];|716|not a multiple of 128",
        "cp.async.bulk.tensor.3d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%r5], [%rd3, {%r10, %r11, %r12}], [%r6];|719|a tensor of 2 dimensions by 3 coordinates",
        "cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%r5], [%rd2, {%r10, %r11}], [%r6];|719|copies what no tensor map is made of",
        "cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%r5], [%rd3+16, {%r10, %r11}], [%r6];|716|misaligned",
        "cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%r5+31744], [%rd3, {%r10, %r11}], [%r6];|700|illegal asynchronous write of 2048 bytes",
        "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%rd3, {%r10, %r11}], [%r5];|719|a tensor of U16",
        "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd3, {%r10, -1}], [%r5];|719|stores at coordinate -1 of dimension 1",
        "cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%r5], [%rd3, {%r10, %r14}], [%r6];|700|illegal asynchronous read"
      })
  void reportsMisuse(String what) {
    String[] parts = what.split("\\|", 3);
    TensorMap whole = rows(128, 16, TensorSwizzle.NONE);
    // More rows than there is memory for.
    TensorMap map =
        new TensorMap(
            whole.type(),
            whole.address(),
            new long[] {64, 64},
            whole.strides(),
            whole.steps(),
            whole.region(),
            TensorSwizzle.NONE,
            false);
    assertThatThrownBy(() ->
            kernels.run(
                Execution.ADAPTIVE, parts[0], map, device.allocate(TILE), 1, 0, 0, 0, 0, 20))
        .isInstanceOfSatisfying(
            DeviceFault.class, e -> assertThat(e.cudaError()).isEqualTo(Integer.parseInt(parts[1])))
        .hasMessageContaining(parts[2])
        .hasMessageContaining("async.bulk.tensor");
  }
}
