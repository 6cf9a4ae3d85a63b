package dev.reprise.softgpu.engine;

import dev.reprise.softgpu.engine.exec.TensorMap;
import dev.reprise.softgpu.engine.exec.TensorRegion;
import dev.reprise.softgpu.engine.exec.TensorSwizzle;
import dev.reprise.softgpu.memory.Allocation;
import dev.reprise.softgpu.memory.HostMemory;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Objects;
import java.util.SplittableRandom;

/** Kernels that copy by a tensor map, and memory for them. */
final class TensorKernels implements AutoCloseable {
  /** Bytes of shared memory that kernels bring in or take out. */
  static final int TILE = 32_768;

  static final String WAIT =
      """
      bar.sync 0;
      WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r6], 0; @!%p3 bra WAIT;
      """;

  /** Writes the tile to {@code out}. */
  static final String WRITE =
      """
      mov.u32 %r3, %r1;
      NEXT: mad.lo.u32 %r4, %r3, 4, %r5; ld.shared.u32 %r7, [%r4]; mul.wide.u32 %rd5, %r3, 4;
      add.u64 %rd5, %rd5, %rd2; st.global.u32 [%rd5], %r7;
      add.u32 %r3, %r3, %r2; setp.lt.u32 %p2, %r3, 8192; @%p2 bra NEXT;
      """;

  /** Waits for what goes to global memory. */
  static final String WAIT_STORE = "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n";

  final Device device = new Device(1);

  @Override
  public void close() {
    device.close();
  }

  /**
   * A tile whose words are 1000 + their number, with a barrier of one arrival, {@code %r6}; the
   * coordinates in {@code %r10} to {@code %r14}, offsets in {@code %rs1} to {@code %rs3}, the bytes
   * of the box in {@code %r15}, the map at {@code %rd3}.
   */
  static String kernel(String body) {
    return ".version 9.0\n.target sm_100a\n.address_size 64\n"
        + ".visible .entry k(.param .align 64 .b8 map[128], .param .u64 out, .param .u32 c0,"
        + " .param .u32 c1, .param .u32 c2, .param .u32 c3, .param .u32 c4, .param .u32 o0,"
        + " .param .u32 o1, .param .u32 o2, .param .u32 bytes)\n{\n"
        + """
        .shared .align 1024 .b8 tile[32768]; .shared .align 8 .b64 bar;
        .reg .pred %p<8>; .reg .b32 %r<40>; .reg .b64 %rd<10>; .reg .b16 %rs<9>;
        mov.b64 %rd1, map; cvta.param.u64 %rd3, %rd1; ld.param.u64 %rd2, [out];
        ld.param.u32 %r10, [c0]; ld.param.u32 %r11, [c1]; ld.param.u32 %r12, [c2];
        ld.param.u32 %r13, [c3]; ld.param.u32 %r14, [c4]; ld.param.u32 %r15, [bytes];
        ld.param.u16 %rs1, [o0]; ld.param.u16 %rs2, [o1]; ld.param.u16 %rs3, [o2];
        mov.u32 %r1, %tid.x; mov.u32 %r2, %ntid.x; mov.u32 %r5, tile; mov.u32 %r6, bar;
        mov.u32 %r16, %ctaid.x; mul.wide.u32 %rd4, %r16, 32768; add.u64 %rd2, %rd2, %rd4;
        setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared::cta.b64 [%r6], 1;
        mov.u32 %r3, %r1;
        FILL: mad.lo.u32 %r4, %r3, 4, %r5; add.u32 %r7, %r3, 1000; st.shared.u32 [%r4], %r7;
        add.u32 %r3, %r3, %r2; setp.lt.u32 %p2, %r3, 8192; @%p2 bra FILL;
        barrier.cluster.arrive; barrier.cluster.wait;
        """
        + body
        + "\nret;\n}\n";
  }

  static String coordinates(int count) {
    StringBuilder s = new StringBuilder("%r10");
    for (int k = 1; k < count; k++) {
      s.append(", %r1").append(k);
    }
    return "{" + s + "}";
  }

  /** The load of a box in a mode, behind what expects its bytes. */
  static String load(int rank, String mode, String offset) {
    String more =
        switch (mode) {
          case "im2col" ->
              ", {"
                  + String.join(", ", Arrays.asList("%rs1", "%rs2", "%rs3").subList(0, rank - 2))
                  + "}";
          case "im2col::w", "im2col::w::128" -> ", {%rs1, %rs2}";
          default -> "";
        };
    return "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r6], %r15;\n"
        + "@%p1 cp.async.bulk.tensor."
        + rank
        + "d.shared::cta.global."
        + mode
        + ".mbarrier::complete_tx::bytes [%r5"
        + offset
        + "], [%rd3, "
        + coordinates(mode.equals("tile::gather4") ? 5 : rank)
        + "], [%r6]"
        + more
        + ";\n";
  }

  static String load(int rank, String offset) {
    return load(rank, "tile", offset);
  }

  /** The copy of the tile to global memory. */
  static String store(String form, int coordinates) {
    return "@%p1 "
        + form
        + " [%rd3, "
        + coordinates(coordinates)
        + "], [%r5];\ncp.async.bulk.commit_group;\n";
  }

  byte[] run(
      Execution execution, String body, TensorMap map, Allocation out, int cluster, int... at) {
    return run(execution, body, map, out, cluster, at, new int[3], bytes(map));
  }

  byte[] run(
      Execution execution,
      String body,
      TensorMap map,
      Allocation out,
      int cluster,
      int[] at,
      int[] offsets,
      int bytes) {
    KernelCode code = Objects.requireNonNull(device.load(kernel(body)).kernel("k"));
    byte[] written = new byte[TensorMap.BYTES];
    map.write(MemorySegment.ofArray(written));
    int[] c = Arrays.copyOf(at, 5);
    int[] o = Arrays.copyOf(offsets, 3);
    byte[] arguments =
        Device.block(code, written, out, c[0], c[1], c[2], c[3], c[4], o[0], o[1], o[2], bytes);
    try (Engine engine = new Engine(device.memory, 1, execution)) {
      engine.run(
          new LaunchRequest(
              code, Dim3.of(cluster), Dim3.of(64), 0, arguments, false, null, Dim3.of(cluster)));
    }
    return bytes(out);
  }

  /** The tile after a load of so many bytes. */
  byte[] loaded(TensorMap map, String mode, int[] at, int[] offsets, int bytes) {
    String body = load(map.rank(), mode, "") + WAIT + WRITE;
    return run(Execution.ADAPTIVE, body, map, device.allocate(TILE), 1, at, offsets, bytes);
  }

  private static int bytes(TensorMap map) {
    if (!(map.region() instanceof TensorRegion.Tile t)) {
      throw new IllegalArgumentException("has no box");
    }
    long elements = 1;
    for (int k = 0; k < map.rank(); k++) {
      elements *= count(map, t, k);
    }
    return (int) map.type().bytes(elements);
  }

  static int count(TensorMap map, TensorRegion.Tile t, int k) {
    int step = k == 0 ? 1 : map.steps()[k];
    return (int) Math.ceil((double) t.box()[k] / step);
  }

  static byte[] bytes(Allocation a) {
    byte[] all = new byte[(int) a.size()];
    MemorySegment.ofArray(all).copyFrom(HostMemory.ALL.asSlice(a.host(), a.size()));
    return all;
  }

  static byte[] tile() {
    ByteBuffer b = ByteBuffer.allocate(TILE).order(ByteOrder.LITTLE_ENDIAN);
    for (int k = 0; k < TILE / 4; k++) {
      b.putInt(1000 + k);
    }
    return b.array();
  }

  /** Memory with random bytes. */
  Allocation memory(SplittableRandom random, long size) {
    Allocation memory = device.allocate(size);
    byte[] content = new byte[(int) memory.size()];
    random.nextBytes(content);
    HostMemory.ALL.asSlice(memory.host(), memory.size()).copyFrom(MemorySegment.ofArray(content));
    return memory;
  }

  /** What the memory of a tensor holds. */
  byte[] content(TensorMap map) {
    return bytes(Objects.requireNonNull(device.memory.find(map.address())));
  }

  void setContent(TensorMap map, byte[] content) {
    Allocation a = Objects.requireNonNull(device.memory.find(map.address()));
    HostMemory.ALL.asSlice(a.host(), content.length).copyFrom(MemorySegment.ofArray(content));
  }

  static TensorMap with(TensorMap map, TensorRegion region, TensorSwizzle swizzle, boolean nan) {
    return new TensorMap(
        map.type(), map.address(), map.extents(), map.strides(), map.steps(), region, swizzle, nan);
  }

  interface Visit {
    void at(int offset, long place);
  }

  /** Visits all bytes of the box in the order of shared memory, with their places, -1 outside. */
  static void visit(TensorMap map, int[] at, Visit visit) {
    TensorRegion.Tile t = (TensorRegion.Tile) map.region();
    int element = map.type().bits() / 8;
    int total = 1;
    int[] counts = new int[map.rank()];
    for (int k = 0; k < map.rank(); k++) {
      counts[k] = count(map, t, k);
      total *= counts[k];
    }
    for (int n = 0; n < total; n++) {
      int[] index = new int[map.rank()];
      int rest = n;
      for (int k = 0; k < map.rank(); k++) {
        index[k] = rest % counts[k];
        rest /= counts[k];
      }
      long[] c = new long[map.rank()];
      for (int k = 0; k < c.length; k++) {
        c[k] = at[k] + (long) index[k] * (k == 0 ? 1 : map.steps()[k]);
      }
      for (int b = 0; b < element; b++) {
        long place = place(map, c);
        visit.at(n * element + b, place < 0 ? -1 : place + b);
      }
    }
  }

  /** Where an element of the tensor begins in its memory, -1 outside. */
  static long place(TensorMap map, long... c) {
    long place = 0;
    for (int k = 0; k < map.rank(); k++) {
      if (c[k] < 0 || c[k] >= map.extents()[k]) {
        return -1;
      }
      place += c[k] * (k == 0 ? map.type().bits() / 8 : map.strides()[k - 1]);
    }
    return place;
  }
}
