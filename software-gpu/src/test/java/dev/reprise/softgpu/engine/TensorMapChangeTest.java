package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.softgpu.engine.exec.TensorElement;
import dev.reprise.softgpu.engine.exec.TensorMap;
import dev.reprise.softgpu.engine.exec.TensorMode;
import dev.reprise.softgpu.engine.exec.TensorRegion;
import dev.reprise.softgpu.engine.exec.TensorSwizzle;
import dev.reprise.softgpu.memory.Allocation;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Kernels that change tensor maps, and those that make their own. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class TensorMapChangeTest {
  private static final long SEED = 1024;

  /** Where kernels keep a map in the tile. */
  private static final int PLACE = TensorKernels.TILE - 128;

  /** The types by the numbers that PTX gives them. */
  private static final List<TensorElement> TYPES =
      List.of(
          TensorElement.U8,
          TensorElement.U16,
          TensorElement.U32,
          TensorElement.S32,
          TensorElement.U64,
          TensorElement.S64,
          TensorElement.F16,
          TensorElement.F32,
          TensorElement.F32_FTZ,
          TensorElement.F64,
          TensorElement.BF16,
          TensorElement.TF32,
          TensorElement.TF32_FTZ,
          TensorElement.U4,
          TensorElement.U4_GAP_8,
          TensorElement.U6_GAP_4);

  private final TensorKernels kernels = new TensorKernels();

  @AfterEach
  void close() {
    kernels.close();
  }

  private static String replace(String field, Object... operands) {
    boolean wide = field.equals("global_address") || field.equals("global_stride");
    StringBuilder s =
        new StringBuilder("@%p1 tensormap.replace.tile.")
            .append(field)
            .append(".shared::cta.b1024.")
            .append(wide ? "b64" : "b32")
            .append(" [%r5+")
            .append(PLACE)
            .append("]");
    for (Object o : operands) {
      s.append(", ").append(o);
    }
    return s + ";\n";
  }

  /** Brings the map from the tile to {@code out}, and a box by it to the tile. */
  private static String use(int rank) {
    return "bar.sync 0; setp.lt.u32 %p6, %r1, 32; add.u32 %r20, %r5, "
        + PLACE
        + ";\n@%p6 tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned"
        + " [%rd2], [%r20], 128;\n"
        + "@%p6 fence.proxy.tensormap::generic.acquire.gpu [%rd2], 128; mov.u64 %rd3, %rd2;\n"
        + TensorKernels.load(rank, "")
        + TensorKernels.WAIT
        + TensorKernels.WRITE;
  }

  private TensorMap random(SplittableRandom random, int rank, TensorElement type) {
    long[] extents = new long[rank];
    long[] strides = new long[rank - 1];
    int[] box = new int[rank];
    int[] steps = new int[rank];
    long stride = 1;
    for (int k = 0; k < rank; k++) {
      extents[k] = random.nextInt(1, k == 0 ? 30 : 7);
      steps[k] = random.nextInt(1, 4);
      box[k] = k == 0 ? 128 / type.bits() * random.nextInt(1, 3) : random.nextInt(1, 4);
      stride = k == 0 ? (type.bytes(extents[0]) + 15) / 16 * 16 : stride * extents[k];
      if (k < rank - 1) {
        strides[k] = stride;
      }
    }
    return new TensorMap(
        type,
        kernels.memory(random, stride).base(),
        extents,
        strides,
        steps,
        new TensorRegion.Tile(box),
        TensorSwizzle.NONE,
        type.floating() && random.nextBoolean());
  }

  /** All fields of a map of zeros. */
  private static String make(TensorMap map) {
    StringBuilder s = new StringBuilder("mov.u32 %r20, 0;\n");
    for (int k = 0; k < 128; k += 4) {
      s.append("@%p1 st.shared.u32 [%r5+").append(PLACE + k).append("], %r20;\n");
    }
    int[] box = ((TensorRegion.Tile) map.region()).box();
    s.append(replace("global_address", map.address())).append(replace("rank", map.rank() - 1));
    for (int k = 0; k < map.rank(); k++) {
      s.append("mov.u32 %r21, ").append(map.extents()[k]).append(";\n");
      s.append(replace("global_dim", k, "%r21"));
      s.append(replace("box_dim", k, box[k]));
      s.append(replace("element_stride", k, map.steps()[k]));
      if (k > 0) {
        s.append("mov.u64 %rd7, ").append(map.strides()[k - 1]).append(";\n");
        s.append(replace("global_stride", k - 1, "%rd7"));
      }
    }
    return s.append(replace("elemtype", TYPES.indexOf(map.type())))
        .append(replace("swizzle_mode", 0))
        .append(replace("swizzle_atomicity", 0))
        .append(replace("fill_mode", map.fillsNan() ? 1 : 0))
        .toString();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5})
  void makesAMapOfZeros(int rank) {
    SplittableRandom random = new SplittableRandom(SEED + rank);
    for (int n = 0; n < 12; n++) {
      TensorMap map = random(random, rank, TYPES.get(random.nextInt(8)));
      int[] at = random.ints(rank, -2, 4).toArray();
      byte[] from = kernels.content(map);
      byte[] want = TensorKernels.tile();
      byte[] nan = {(byte) 0xff, (byte) 0xff, (byte) 0xff, 0x7f};
      int size = map.type().bits() / 8;
      TensorKernels.visit(
          map,
          at,
          (offset, place) ->
              want[offset] =
                  place >= 0
                      ? from[(int) place]
                      : !map.fillsNan()
                          ? 0
                          : size == 2 ? (byte) (offset % 2 == 0 ? 0xf7 : 0x7f) : nan[offset % 4]);
      byte[] got =
          kernels.run(
              n % 3 == 0 ? Execution.INTERPRETED : Execution.ADAPTIVE,
              make(map) + use(rank),
              map,
              kernels.device.allocate(TensorKernels.TILE),
              1,
              at);
      assertThat(Arrays.copyOf(got, PLACE))
          .as("seed %d, %d: %s at %s", SEED, n, map, Arrays.toString(at))
          .isEqualTo(Arrays.copyOf(want, PLACE));
    }
  }

  private static byte[] bytes(TensorMap map) {
    byte[] all = new byte[TensorMap.BYTES];
    map.write(MemorySegment.ofArray(all));
    return all;
  }

  private static TensorMap tile(TensorElement type, int mode, boolean nan) {
    return new TensorMap(
        type,
        0x10000,
        new long[] {64, 5, 6},
        new long[] {512, 4096},
        new int[] {1, 2, 1},
        new TensorRegion.Tile(new int[] {4, 5, 6}),
        TensorSwizzle.values()[mode],
        nan);
  }

  /** The map after these instructions changed it in global memory. */
  private TensorMap changed(TensorMap map, String... fields) {
    int[] words = new int[TensorMap.BYTES / 4];
    ByteBuffer.wrap(bytes(map)).order(ByteOrder.LITTLE_ENDIAN).asIntBuffer().get(words);
    Allocation memory = kernels.device.of(words);
    StringBuilder body = new StringBuilder("mov.u32 %r20, 17; mov.u64 %rd8, 8192;\n");
    for (String field : fields) {
      body.append("@%p1 tensormap.replace.").append(field).append(";\n");
    }
    kernels.run(Execution.ADAPTIVE, body.toString(), map, memory, 1, new int[0], new int[0], 0);
    TensorMap found = TensorMap.read(MemorySegment.ofArray(TensorKernels.bytes(memory)));
    assertThat(found).isNotNull();
    return java.util.Objects.requireNonNull(found);
  }

  @Test
  void changesEachFieldAlone() {
    TensorMap map = tile(TensorElement.U32, 0, false);
    String at = " [%rd2], ";
    assertThat(changed(map, "tile.global_address.b1024.b64" + at + "%rd8").address())
        .isEqualTo(8192);
    assertThat(changed(map, "tile.rank.global.b1024.b32" + at + "1").extents())
        .containsExactly(64, 5);
    assertThat(changed(map, "tile.global_dim.global.b1024.b32" + at + "2, %r20").extents())
        .containsExactly(64, 5, 17);
    assertThat(changed(map, "tile.global_dim.global.b1024.b32" + at + "0, -1").extents())
        .containsExactly(0xffff_ffffL, 5, 6);
    assertThat(changed(map, "tile.global_stride.global.b1024.b64" + at + "1, %rd8").strides())
        .containsExactly(512, 8192);
    assertThat(changed(map, "tile.element_stride.global.b1024.b32" + at + "2, 8").steps())
        .containsExactly(1, 2, 8);
    TensorMap box = changed(map, "tile.box_dim.global.b1024.b32" + at + "1, 256");
    assertThat(((TensorRegion.Tile) box.region()).box()).containsExactly(4, 256, 6);
    assertThat(changed(map, "tile.fill_mode.global.b1024.b32" + at + "1").fillsNan()).isTrue();
    // The last stride is that of no dimension.
    assertThat(bytes(changed(map, "tile.global_stride.global.b1024.b64" + at + "4, 16")))
        .isEqualTo(bytes(map));
  }

  @Test
  void changesTheTypeByTheNumbersOfPtx() {
    TensorMap map = tile(TensorElement.U32, 0, false);
    for (int k = 0; k < TYPES.size(); k++) {
      String field = "tile.elemtype.global.b1024.b32 [%rd2], " + k;
      assertThat(bytes(changed(map, field))).isEqualTo(bytes(tile(TYPES.get(k), 0, false)));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0, NONE",
    "0, 3, NONE",
    "1, 0, B32",
    "2, 0, B64",
    "3, 0, B128",
    "3, 1, B128_ATOM_32",
    "3, 2, B128_ATOM_32_FLIP_8",
    "3, 3, B128_ATOM_64"
  })
  void changesTheSwizzle(int mode, int atomicity, TensorSwizzle swizzle) {
    TensorMap found =
        changed(
            tile(TensorElement.U32, 6, false),
            "tile.swizzle_mode.global.b1024.b32 [%rd2], " + mode,
            "tile.swizzle_atomicity.global.b1024.b32 [%rd2], " + atomicity);
    assertThat(found.swizzle()).isEqualTo(swizzle);
  }

  @ParameterizedTest
  @EnumSource(TensorSwizzle.class)
  void keepsTheSwizzleInItsBytes(TensorSwizzle swizzle) {
    TensorMap map = tile(TensorElement.U32, swizzle.ordinal(), false);
    TensorMap found = TensorMap.read(MemorySegment.ofArray(bytes(map)));
    assertThat(found).isNotNull();
    assertThat(java.util.Objects.requireNonNull(found).swizzle()).isEqualTo(swizzle);
  }

  @Test
  void copiesAMapOfEachLane() {
    Allocation memory = kernels.device.of(new int[64 * 32]);
    // Each lane of a warp has a map of its own; words of the tile tell them apart.
    String body =
        """
        bar.sync 0; setp.ge.u32 %p6, %r1, 32; @%p6 bra OVER;
        mad.lo.u32 %r20, %r1, 128, %r5; mad.wide.u32 %rd7, %r1, 256, %rd2;
        tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd7], [%r20], 128;
        OVER:
        """;
    kernels.run(Execution.ADAPTIVE, body, tile(TensorElement.U32, 0, false), memory, 1);
    int[] want = new int[64 * 32];
    for (int k = 0; k < want.length; k++) {
      want[k] = k % 64 < 32 ? 1000 + k / 64 * 32 + k % 64 : 0;
    }
    assertThat(Device.ints(memory)).isEqualTo(want);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "tile.box_dim.global.b1024.b32 [%rd3], 0, 257|gets 257, not 1 to 256",
        "tile.box_dim.global.b1024.b32 [%rd3], 0, %r14|gets 0, not 1 to 256",
        "tile.element_stride.global.b1024.b32 [%rd3], 0, 9|gets 9, not 1 to 8",
        "tile.rank.global.b1024.b32 [%rd3], 5|gets 5, not 0 to 4",
        "tile.global_dim.global.b1024.b32 [%rd3], 1, %r14|gets 0, not 1 to 4294967295",
        "tile.global_address.global.b1024.b64 [%rd3], 24|gets 24, not a multiple of 16",
        "tile.global_stride.global.b1024.b64 [%rd3], 1, 8|gets 8, not a multiple of 16",
        "tile.fill_mode.shared::cta.b1024.b32 [%r5], 1|changes what no tensor map is made of"
      })
  void reportsValuesThatNoMapHas(String what) {
    String[] parts = what.split("\\|", -1);
    int[] words = new int[TensorMap.BYTES / 4];
    ByteBuffer.wrap(bytes(tile(TensorElement.U32, 0, false)))
        .order(ByteOrder.LITTLE_ENDIAN)
        .asIntBuffer()
        .get(words);
    Allocation memory = kernels.device.of(words);
    String body = "mov.u64 %rd3, %rd2;\n@%p1 tensormap.replace." + parts[0] + ";\n";
    assertThatThrownBy(() ->
            kernels.run(Execution.ADAPTIVE, body, tile(TensorElement.U32, 0, false), memory, 1))
        .isInstanceOfSatisfying(DeviceFault.class, e -> assertThat(e.cudaError()).isEqualTo(719))
        .hasMessageContaining(parts[1]);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "tile.box_dim.shared::cta.b1024.b32 [%r20], 0, 3|of rows of 3 elements of U32, which are no multiple of 16 bytes",
        "tile.elemtype.shared::cta.b1024.b32 [%r20], 0|of rows of 4 elements of U8",
        "tile.elemtype.shared::cta.b1024.b32 [%r20], 14|of rows of 4 elements of U4_GAP_8",
        "tile.elemtype.shared::cta.b1024.b32 [%r20], 14;box_dim 0, 32;global_dim 0, 128;global_stride 0, 64|of U4_GAP_8, whose rows have 128 elements",
        "tile.elemtype.shared::cta.b1024.b32 [%r20], 14;box_dim 0, 128;global_dim 0, 128;global_stride 0, 48;swizzle_mode 0|of U4_GAP_8, whose rows have 128 elements and begin at multiples of 32 bytes",
        "tile.elemtype.shared::cta.b1024.b32 [%r20], 14;box_dim 0, 128;global_dim 0, 64;global_stride 0, 64;swizzle_mode 0|of U4_GAP_8, whose rows",
        "tile.rank.shared::cta.b1024.b32 [%r20], 2;box_dim 2, 1|without a box or a step of dimension 2",
        "tile.rank.shared::cta.b1024.b32 [%r20], 2;element_stride 2, 1|without a box or a step of dimension 2",
        "tile.fill_mode.shared::cta.b1024.b32 [%r20], 1|of elements of U32, which cannot be NaN",
        "tile.rank.shared::cta.b1024.b32 [%r20], 2|without a box or a step of dimension 2",
        "tile.swizzle_atomicity.shared::cta.b1024.b32 [%r20], 1|copies what no tensor map is made of"
      })
  void reportsMapsThatAreWrong(String what) {
    String[] parts = what.split("\\|", -1);
    String[] changes = parts[0].split(";", -1);
    TensorMap map =
        new TensorMap(
            TensorElement.U32,
            kernels.device.allocate(4096).base(),
            new long[] {4, 4},
            new long[] {16},
            new int[] {1, 1},
            new TensorRegion.Tile(new int[] {4, 4}),
            TensorSwizzle.NONE,
            false);
    String body =
        make(map)
            + replace("swizzle_mode", 1)
            + "add.u32 %r20, %r5, "
            + PLACE
            + ";\n@%p1 tensormap.replace."
            + changes[0]
            + ";\n"
            + Arrays.stream(changes)
                .skip(1)
                .map(c -> replace(c.split(" ", 2)[0], c.split(" ", 2)[1]))
                .collect(Collectors.joining())
            + use(parts[0].contains("rank") ? 3 : 2);
    assertThatThrownBy(() ->
            kernels.run(
                Execution.ADAPTIVE,
                body,
                map,
                kernels.device.allocate(TensorKernels.TILE),
                1,
                0,
                0))
        .isInstanceOfSatisfying(DeviceFault.class, e -> assertThat(e.cudaError()).isEqualTo(719))
        .hasMessageContaining(parts[1]);
  }

  @Test
  void leavesMapsOfPixelsAlone() {
    TensorMap map =
        new TensorMap(
            TensorElement.U32,
            0x10000,
            new long[] {64, 5, 6},
            new long[] {512, 4096},
            new int[] {1, 1, 1},
            new TensorRegion.Column(TensorMode.IM2COL, new int[1], new int[1], 4, 8),
            TensorSwizzle.NONE,
            false);
    assertThatThrownBy(() -> changed(map, "tile.rank.global.b1024.b32 [%rd2], 1"))
        .isInstanceOf(DeviceFault.class)
        .hasMessageContaining("changes a map that is not made for .tile");
  }
}
