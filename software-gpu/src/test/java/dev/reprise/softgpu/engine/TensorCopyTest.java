package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.softgpu.engine.exec.TensorElement;
import dev.reprise.softgpu.engine.exec.TensorMap;
import dev.reprise.softgpu.memory.Allocation;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Objects;
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

  /** Bytes of shared memory that kernels bring in or take out. */
  private static final int TILE = 8192;

  private final Device device = new Device(1);

  @AfterEach
  void close() {
    device.close();
  }

  /**
   * A tile whose words are 1000 + their number, with a barrier of one arrival, {@code %r6}; the
   * coordinates in {@code %r10} to {@code %r14}, the bytes of the box in {@code %r15}, the map at
   * {@code %rd3}.
   */
  private static String kernel(String body) {
    return ".version 9.0\n.target sm_100a\n.address_size 64\n"
        + ".visible .entry k(.param .align 64 .b8 map[128], .param .u64 out, .param .u32 c0,"
        + " .param .u32 c1, .param .u32 c2, .param .u32 c3, .param .u32 c4, .param .u32 bytes)\n{\n"
        + """
        .shared .align 128 .b8 tile[8192]; .shared .align 8 .b64 bar;
        .reg .pred %p<8>; .reg .b32 %r<40>; .reg .b64 %rd<10>; .reg .b16 %rs<4>;
        mov.b64 %rd1, map; cvta.param.u64 %rd3, %rd1; ld.param.u64 %rd2, [out];
        ld.param.u32 %r10, [c0]; ld.param.u32 %r11, [c1]; ld.param.u32 %r12, [c2];
        ld.param.u32 %r13, [c3]; ld.param.u32 %r14, [c4]; ld.param.u32 %r15, [bytes];
        mov.u32 %r1, %tid.x; mov.u32 %r2, %ntid.x; mov.u32 %r5, tile; mov.u32 %r6, bar;
        mov.u32 %r16, %ctaid.x; mul.wide.u32 %rd4, %r16, 8192; add.u64 %rd2, %rd2, %rd4;
        setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared::cta.b64 [%r6], 1;
        mov.u32 %r3, %r1;
        FILL: mad.lo.u32 %r4, %r3, 4, %r5; add.u32 %r7, %r3, 1000; st.shared.u32 [%r4], %r7;
        add.u32 %r3, %r3, %r2; setp.lt.u32 %p2, %r3, 2048; @%p2 bra FILL;
        barrier.cluster.arrive; barrier.cluster.wait;
        """
        + body
        + "\nret;\n}\n";
  }

  private static final String WAIT =
      """
      bar.sync 0;
      WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r6], 0; @!%p3 bra WAIT;
      """;

  /** Writes the tile to {@code out}. */
  private static final String WRITE =
      """
      mov.u32 %r3, %r1;
      NEXT: mad.lo.u32 %r4, %r3, 4, %r5; ld.shared.u32 %r7, [%r4]; mul.wide.u32 %rd5, %r3, 4;
      add.u64 %rd5, %rd5, %rd2; st.global.u32 [%rd5], %r7;
      add.u32 %r3, %r3, %r2; setp.lt.u32 %p2, %r3, 2048; @%p2 bra NEXT;
      """;

  private static String coordinates(int rank) {
    StringBuilder s = new StringBuilder("%r10");
    for (int k = 1; k < rank; k++) {
      s.append(", %r1").append(k);
    }
    return "{" + s + "}";
  }

  private static String load(int rank, String offset) {
    return "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r6], %r15;\n"
        + "@%p1 cp.async.bulk.tensor."
        + rank
        + "d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%r5"
        + offset
        + "], [%rd3, "
        + coordinates(rank)
        + "], [%r6];\n";
  }

  private byte[] run(
      Execution execution, String body, TensorMap map, Allocation out, int cluster, int... at) {
    KernelCode code = Objects.requireNonNull(device.load(kernel(body)).kernel("k"));
    byte[] bytes = new byte[TensorMap.BYTES];
    map.write(MemorySegment.ofArray(bytes));
    int[] c = Arrays.copyOf(at, 5);
    byte[] arguments = Device.block(code, bytes, out, c[0], c[1], c[2], c[3], c[4], map.boxBytes());
    try (Engine engine = new Engine(device.memory, 1, execution)) {
      engine.run(
          new LaunchRequest(
              code, Dim3.of(cluster), Dim3.of(64), 0, arguments, false, null, Dim3.of(cluster)));
    }
    return bytes(out);
  }

  private static byte[] bytes(Allocation a) {
    ByteBuffer b = ByteBuffer.allocate((int) a.size()).order(ByteOrder.LITTLE_ENDIAN);
    b.asIntBuffer().put(Device.ints(a));
    return b.array();
  }

  private static byte[] tile() {
    ByteBuffer b = ByteBuffer.allocate(TILE).order(ByteOrder.LITTLE_ENDIAN);
    for (int k = 0; k < TILE / 4; k++) {
      b.putInt(1000 + k);
    }
    return b.array();
  }

  /** Where the byte of an element of the tensor is in its memory, -1 outside. */
  private static long place(TensorMap map, int[] at, int[] index, int inElement) {
    long place = inElement;
    for (int k = 0; k < map.rank(); k++) {
      long c = at[k] + (long) index[k] * (k == 0 ? 1 : map.steps()[k]);
      if (c < 0 || c >= map.extents()[k]) {
        return -1;
      }
      place += c * (k == 0 ? map.type().bytes() : map.strides()[k - 1]);
    }
    return place;
  }

  private interface Visit {
    void at(int offset, long place);
  }

  /** Visits all bytes of the box in the order of shared memory. */
  private static void visit(TensorMap map, int[] at, Visit visit) {
    int element = map.type().bytes();
    int total = 1;
    int[] counts = new int[map.rank()];
    for (int k = 0; k < map.rank(); k++) {
      int step = k == 0 ? 1 : map.steps()[k];
      counts[k] = (int) Math.ceil((double) map.box()[k] / step);
      total *= counts[k];
    }
    for (int n = 0; n < total; n++) {
      int[] index = new int[map.rank()];
      int rest = n;
      for (int k = 0; k < map.rank(); k++) {
        index[k] = rest % counts[k];
        rest /= counts[k];
      }
      for (int b = 0; b < element; b++) {
        visit.at(n * element + b, place(map, at, index, b));
      }
    }
  }

  private TensorMap random(SplittableRandom random, int rank, TensorElement type) {
    long[] extents = new long[rank];
    long[] strides = new long[rank - 1];
    int[] box = new int[rank];
    int[] steps = new int[rank];
    int unit = 16 / type.bytes();
    long stride = 1;
    for (int k = 0; k < rank; k++) {
      extents[k] = random.nextInt(1, k == 0 ? 40 : 9);
      steps[k] = random.nextInt(1, 4);
      box[k] = k == 0 ? unit * random.nextInt(1, 5) : random.nextInt(1, rank > 3 ? 4 : 8);
      stride =
          k == 0
              ? (extents[0] * type.bytes() + 15) / 16 * 16 + 16L * random.nextInt(3)
              : stride * extents[k];
      if (k < rank - 1) {
        strides[k] = stride;
      }
    }
    Allocation memory = device.allocate(stride);
    byte[] content = new byte[(int) memory.size()];
    random.nextBytes(content);
    dev.reprise.softgpu.memory.HostMemory.ALL
        .asSlice(memory.host(), memory.size())
        .copyFrom(MemorySegment.ofArray(content));
    return new TensorMap(type, memory.base(), extents, strides, box, steps, 0, false);
  }

  private byte[] content(TensorMap map) {
    Allocation a = Objects.requireNonNull(device.memory.find(map.address()));
    byte[] all = new byte[(int) a.size()];
    MemorySegment.ofArray(all)
        .copyFrom(dev.reprise.softgpu.memory.HostMemory.ALL.asSlice(a.host(), a.size()));
    return all;
  }

  private static int[] somewhere(SplittableRandom random, TensorMap map) {
    int[] at = new int[map.rank()];
    for (int k = 0; k < at.length; k++) {
      int extent = (int) map.extents()[k];
      at[k] = random.nextInt(-map.box()[k], extent + 2);
    }
    return at;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5})
  void bringsBoxesToSharedMemory(int rank) {
    SplittableRandom random = new SplittableRandom(SEED + rank);
    for (int n = 0; n < 25; n++) {
      TensorElement type = TensorElement.values()[random.nextInt(TensorElement.values().length)];
      TensorMap map = random(random, rank, type);
      int[] at = somewhere(random, map);
      byte[] from = content(map);
      byte[] want = tile();
      visit(map, at, (offset, place) -> want[128 + offset] = place < 0 ? 0 : from[(int) place]);
      byte[] got =
          run(
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
        run(execution, load(2, "") + "bar.sync 0;\n" + WRITE, map, device.allocate(TILE), 1, 0, 0);
    assertThat(got).isEqualTo(tile());
  }

  private static TensorMap with(TensorMap map, int swizzle, boolean nan) {
    return new TensorMap(
        map.type(),
        map.address(),
        map.extents(),
        map.strides(),
        map.box(),
        map.steps(),
        swizzle,
        nan);
  }

  @ParameterizedTest
  @CsvSource({"F16, 7fff", "BF16, 7fff", "F32, 7fffffff", "F64, 7fffffffffffffff"})
  void fillsWithNan(TensorElement type, String nan) {
    TensorMap map = with(random(new SplittableRandom(SEED), 2, type), 0, true);
    int[] at = {-3, 2};
    byte[] from = content(map);
    byte[] want = tile();
    long bits = Long.parseUnsignedLong(nan, 16);
    visit(
        map,
        at,
        (offset, place) ->
            want[offset] =
                place < 0 ? (byte) (bits >>> offset % type.bytes() * 8) : from[(int) place]);
    byte[] got =
        run(Execution.ADAPTIVE, load(2, "") + WAIT + WRITE, map, device.allocate(TILE), 1, at);
    assertThat(got).isEqualTo(want);
  }

  /** A tensor of 24 rows of 128 bytes, of which a box takes rows of so many bytes. */
  private TensorMap rows(int bytes, int rows, int swizzle) {
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
        new int[] {bytes / 2, rows},
        new int[] {1, 1},
        swizzle,
        false);
  }

  @ParameterizedTest
  @CsvSource({"32, 2", "64, 4", "128, 8"})
  void exchangesChunksOfSharedMemory(int span, int lines) {
    TensorMap map = rows(span, 16, span);
    byte[] from = content(map);
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
      byte[] got = run(Execution.ADAPTIVE, body, map, device.allocate(TILE), 1, 0, 3);
      assertThat(got).as("at %d", start).isEqualTo(want);
      // And back again.
      String back =
          load(2, "+" + start)
              + WAIT
              + "@%p1 cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd3, {%r12, %r13}],"
              + " [%r5+"
              + start
              + "];\ncp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n";
      run(Execution.ADAPTIVE, back, map, device.allocate(TILE), 1, 0, 3, 0, 8);
      byte[] after = content(map);
      byte[] moved = from.clone();
      for (int row = 0; row < 16; row++) {
        System.arraycopy(from, (3 + row) * 128, moved, (8 + row) * 128, span);
      }
      assertThat(after).isEqualTo(moved);
      dev.reprise.softgpu.memory.HostMemory.ALL
          .asSlice(Objects.requireNonNull(device.memory.find(map.address())).host(), from.length)
          .copyFrom(MemorySegment.ofArray(from));
    }
  }

  private static String store(String form, int rank) {
    return "@%p1 "
        + form
        + " [%rd3, "
        + coordinates(rank)
        + "], [%r5];\ncp.async.bulk.commit_group;\n";
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5})
  void takesBoxesToGlobalMemory(int rank) {
    SplittableRandom random = new SplittableRandom(SEED - rank);
    for (int n = 0; n < 15; n++) {
      TensorMap map = random(random, rank, TensorElement.values()[random.nextInt(10)]);
      int[] at = somewhere(random, map);
      byte[] want = content(map);
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
      run(Execution.ADAPTIVE, body, map, device.allocate(TILE), 1, at);
      assertThat(content(map))
          .as("seed %d, box %d of %s at %s", SEED, n, map, Arrays.toString(at))
          .isEqualTo(want);
    }
  }

  @Test
  void leavesGlobalMemoryAloneWhereNobodyWaits() {
    TensorMap map = random(new SplittableRandom(SEED), 2, TensorElement.U32);
    byte[] before = content(map);
    String form = "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group";
    run(Execution.ADAPTIVE, store(form, 2), map, device.allocate(TILE), 1, 0, 0);
    assertThat(content(map)).isEqualTo(before);
  }

  @ParameterizedTest
  @CsvSource({"add, U32", "add, S32", "add, U64", "min, S32", "max, U32", "inc, U32", "xor, U64"})
  void reducesIntoGlobalMemory(String op, TensorElement type) {
    SplittableRandom random = new SplittableRandom(SEED);
    TensorMap map = random(random, 3, type);
    int[] at = {1, -1, 0};
    byte[] want = content(map);
    ByteBuffer target = ByteBuffer.wrap(want).order(ByteOrder.LITTLE_ENDIAN);
    ByteBuffer tile = ByteBuffer.wrap(tile()).order(ByteOrder.LITTLE_ENDIAN);
    int size = type.bytes();
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
    run(Execution.ADAPTIVE, body, map, device.allocate(TILE), 1, at);
    assertThat(want).isNotEqualTo(new byte[want.length]);
    assertThat(content(map)).isEqualTo(want);
  }

  @Test
  void goesToSeveralBlocksAtOnce() {
    TensorMap map = rows(128, 8, 128);
    byte[] from = content(map);
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
    byte[] got = run(Execution.ADAPTIVE, body, map, device.allocate(3 * TILE), 3, 0, 5);
    for (int block = 0; block < 3; block++) {
      assertThat(Arrays.copyOfRange(got, block * TILE, (block + 1) * TILE))
          .as("block %d", block)
          .isEqualTo(want);
    }
  }

  @Test
  void goesToAnotherBlock() {
    TensorMap map = rows(64, 8, 0);
    byte[] from = content(map);
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
    byte[] got = run(Execution.ADAPTIVE, body, map, device.allocate(2 * TILE), 2, 32, 0);
    assertThat(Arrays.copyOf(got, TILE)).isEqualTo(want);
    assertThat(Arrays.copyOfRange(got, TILE, 2 * TILE)).isEqualTo(want);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%r5+64], [%rd3, {%r10, %r11}], [%r6];|716|not a multiple of 128",
        "cp.async.bulk.tensor.3d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%r5], [%rd3, {%r10, %r11, %r12}], [%r6];|719|a tensor of 2 dimensions by 3 coordinates",
        "cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%r5], [%rd2, {%r10, %r11}], [%r6];|719|what cuTensorMapEncodeTiled has not made",
        "cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%r5], [%rd3+16, {%r10, %r11}], [%r6];|716|misaligned",
        "cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%r5+7168], [%rd3, {%r10, %r11}], [%r6];|700|illegal asynchronous write of 2048 bytes",
        "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%rd3, {%r10, %r11}], [%r5];|719|a tensor of U16",
        "cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%r5], [%rd3, {%r10, %r14}], [%r6];|700|illegal asynchronous read"
      })
  void reportsMisuse(String what) {
    String[] parts = what.split("\\|", 3);
    TensorMap whole = rows(128, 16, 0);
    // More rows than there is memory for.
    TensorMap map =
        new TensorMap(
            whole.type(),
            whole.address(),
            new long[] {64, 64},
            whole.strides(),
            whole.box(),
            whole.steps(),
            0,
            false);
    assertThatThrownBy(
            () -> run(Execution.ADAPTIVE, parts[0], map, device.allocate(TILE), 1, 0, 0, 0, 0, 20))
        .isInstanceOfSatisfying(
            DeviceFault.class, e -> assertThat(e.cudaError()).isEqualTo(Integer.parseInt(parts[1])))
        .hasMessageContaining(parts[2])
        .hasMessageContaining("async.bulk.tensor");
  }
}
