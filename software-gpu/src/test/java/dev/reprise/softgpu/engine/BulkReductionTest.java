package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.softgpu.memory.Allocation;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongBinaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code cp.reduce.async.bulk}: every operation on every type, against plain formulas. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class BulkReductionTest {
  private static final int BYTES = 256;
  private static final long SEED = 20261130;

  private final Device device = new Device(1);

  @AfterEach
  void close() {
    device.close();
  }

  /**
   * An operation on elements, whose bits are in longs.
   *
   * @param shared whether shared memory can be its target too
   */
  record Case(String form, int bytes, boolean shared, LongBinaryOperator apply) {
    @Override
    public String toString() {
      return form;
    }
  }

  private static long f32(float v) {
    return Float.floatToRawIntBits(v) & 0xffff_ffffL;
  }

  private static float f32(long bits) {
    return Float.intBitsToFloat((int) bits);
  }

  private static float f16(long bits) {
    return Float.float16ToFloat((short) bits);
  }

  private static long f16(float v) {
    return Float.floatToFloat16(v) & 0xffff;
  }

  private static float bf16(long bits) {
    return Float.intBitsToFloat((int) bits << 16);
  }

  /** To nearest, ties to even, of a sum that is exact in double. */
  private static long bf16(double v) {
    float f = (float) v;
    int bits = Float.floatToRawIntBits(f);
    int low = bits & 0xffff;
    int high = bits >>> 16;
    boolean up = low > 0x8000 || low == 0x8000 && (high & 1) != 0;
    return (long) high + (up ? 1 : 0) & 0xffff;
  }

  static List<Case> cases() {
    List<Case> all = new ArrayList<>();
    long word = 0xffff_ffffL;
    all.add(new Case("add.u32", 4, true, (x, y) -> x + y & word));
    all.add(new Case("add.s32", 4, true, (x, y) -> x + y & word));
    all.add(new Case("add.u64", 8, true, (x, y) -> x + y));
    all.add(new Case("min.u32", 4, true, Math::min));
    all.add(new Case("max.u32", 4, true, Math::max));
    all.add(new Case("min.s32", 4, true, (x, y) -> Math.min((int) x, (int) y) & word));
    all.add(new Case("max.s32", 4, true, (x, y) -> Math.max((int) x, (int) y) & word));
    all.add(new Case("inc.u32", 4, true, (x, y) -> x >= y ? 0 : x + 1));
    all.add(new Case("dec.u32", 4, true, (x, y) -> x == 0 || x > y ? y : x - 1));
    all.add(new Case("and.b32", 4, true, (x, y) -> x & y));
    all.add(new Case("or.b32", 4, true, (x, y) -> x | y));
    all.add(new Case("xor.b32", 4, true, (x, y) -> x ^ y));
    all.add(new Case("and.b64", 8, false, (x, y) -> x & y));
    all.add(new Case("or.b64", 8, false, (x, y) -> x | y));
    all.add(new Case("xor.b64", 8, false, (x, y) -> x ^ y));
    all.add(new Case("min.u64", 8, false, (x, y) -> Long.compareUnsigned(x, y) < 0 ? x : y));
    all.add(new Case("max.u64", 8, false, (x, y) -> Long.compareUnsigned(x, y) > 0 ? x : y));
    all.add(new Case("min.s64", 8, false, Math::min));
    all.add(new Case("max.s64", 8, false, Math::max));
    all.add(new Case("add.f32", 4, false, (x, y) -> f32(f32(x) + f32(y))));
    all.add(
        new Case(
            "add.f64",
            8,
            false,
            (x, y) ->
                Double.doubleToRawLongBits(
                    Double.longBitsToDouble(x) + Double.longBitsToDouble(y))));
    all.add(new Case("add.noftz.f16", 2, false, (x, y) -> f16(f16(x) + f16(y))));
    all.add(new Case("min.f16", 2, false, (x, y) -> f16(Math.min(f16(x), f16(y)))));
    all.add(new Case("max.f16", 2, false, (x, y) -> f16(Math.max(f16(x), f16(y)))));
    all.add(new Case("add.noftz.bf16", 2, false, (x, y) -> bf16((double) bf16(x) + bf16(y))));
    all.add(new Case("min.bf16", 2, false, (x, y) -> bf16((double) Math.min(bf16(x), bf16(y)))));
    all.add(new Case("max.bf16", 2, false, (x, y) -> bf16((double) Math.max(bf16(x), bf16(y)))));
    return all;
  }

  /** Elements of a buffer: numbers of moderate size where they are floats. */
  private static long[] elements(Case c, SplittableRandom random) {
    long[] all = new long[BYTES / c.bytes];
    for (int k = 0; k < all.length; k++) {
      // Multiples of a half, so that sums of halves of bf16 are exact before they are rounded.
      float v = random.nextInt(-60, 60) / 2f;
      if (c.form.endsWith(".bf16")) {
        all[k] = bf16((double) v);
      } else if (c.form.endsWith(".f16")) {
        all[k] = f16(v + random.nextInt(8) / 1024f);
      } else if (c.form.endsWith(".f32")) {
        all[k] = f32(v + random.nextInt(1000) / 997f);
      } else if (c.form.endsWith(".f64")) {
        all[k] = Double.doubleToRawLongBits(v + random.nextDouble());
      } else {
        long bits = random.nextLong() >> random.nextInt(64);
        all[k] = c.bytes == 8 ? bits : bits & 0xffff_ffffL;
      }
    }
    return all;
  }

  private static int[] words(long[] elements, int bytes) {
    int[] words = new int[BYTES / 4];
    for (int k = 0; k < elements.length; k++) {
      int at = k * bytes;
      if (bytes == 8) {
        words[at / 4] = (int) elements[k];
        words[at / 4 + 1] = (int) (elements[k] >>> 32);
      } else {
        words[at / 4] |= (int) elements[k] << at % 4 * 8;
      }
    }
    return words;
  }

  private static long[] reduced(Case c, long[] a, long[] b, int times) {
    long[] want = a.clone();
    for (int n = 0; n < times; n++) {
      for (int k = 0; k < a.length; k++) {
        want[k] = c.apply.applyAsLong(want[k], b[k]);
      }
    }
    return want;
  }

  @ParameterizedTest
  @MethodSource("cases")
  void reducesIntoGlobalMemory(Case c) {
    SplittableRandom random = new SplittableRandom(SEED);
    long[] a = elements(c, random);
    long[] b = elements(c, random);
    Allocation out = device.of(words(a, c.bytes));
    KernelCode code =
        ClusterKernels.load(
            device,
            "",
            """
            .shared .align 16 .b8 tile[256]; ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in];
            mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4; add.u64 %rd4, %rd2, %rd3;
            ld.global.u32 %r2, [%rd4]; mov.u32 %r3, tile; mad.lo.u32 %r4, %r1, 4, %r3;
            st.shared.u32 [%r4], %r2; bar.sync 0; setp.eq.u32 %p1, %r1, 0;
            """
                + "@%p1 cp.reduce.async.bulk.global.shared::cta.bulk_group."
                + c.form
                + """
                 [%rd1], [%r3], 256;
                cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;
                """);
    device.engine.run(ClusterKernels.request(code, 1, 64, 0, out, device.of(words(b, c.bytes))));
    assertThat(Device.ints(out))
        .as("%s, seed %d", c.form, SEED)
        .isEqualTo(words(reduced(c, a, b, 1), c.bytes));
  }

  static List<Case> sharedCases() {
    return cases().stream().filter(Case::shared).toList();
  }

  @ParameterizedTest
  @MethodSource("sharedCases")
  void reducesIntoSharedMemoryOfAnotherBlock(Case c) {
    SplittableRandom random = new SplittableRandom(SEED);
    long[] a = elements(c, random);
    long[] b = elements(c, random);
    Allocation out = device.of(words(a, c.bytes));
    // Blocks 1 to 3 reduce the input into the tile of block 0, which begins with that of out.
    KernelCode code =
        ClusterKernels.load(
            device,
            "",
            """
            .shared .align 16 .b8 tile[256]; .shared .align 8 .b64 bar;
            ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in];
            mov.u32 %r1, %tid.x; mov.u32 %r5, %cluster_ctarank; setp.eq.u32 %p1, %r1, 0;
            setp.eq.u32 %p2, %r5, 0; selp.b64 %rd5, %rd1, %rd2, %p2;
            mul.wide.u32 %rd3, %r1, 4; add.u64 %rd4, %rd5, %rd3; add.u64 %rd6, %rd1, %rd3;
            ld.global.u32 %r2, [%rd4]; mov.u32 %r3, tile; mad.lo.u32 %r4, %r1, 4, %r3;
            st.shared.u32 [%r4], %r2; mov.u32 %r6, bar;
            @%p1 mbarrier.init.shared::cta.b64 [%r6], 1;
            barrier.cluster.arrive; barrier.cluster.wait;
            mapa.shared::cluster.u32 %r7, %r3, 0; mapa.shared::cluster.u32 %r8, %r6, 0;
            not.pred %p3, %p2; and.pred %p3, %p3, %p1;
            """
                + "@%p3 cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes."
                + c.form
                + """
                 [%r7], [%r3], 256, [%r8];
                @!%p2 bra DONE;
                @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r6], 768;
                WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p4, [%r6], 0; @!%p4 bra WAIT;
                ld.shared.u32 %r9, [%r4]; st.global.u32 [%rd6], %r9;
                DONE: barrier.cluster.arrive; barrier.cluster.wait;
                """);
    device.engine.run(ClusterKernels.request(code, 4, 64, 4, out, device.of(words(b, c.bytes))));
    assertThat(Device.ints(out))
        .as("%s, seed %d", c.form, SEED)
        .isEqualTo(words(reduced(c, a, b, 3), c.bytes));
  }

  @Test
  void updatesElementsOfManyBlocksAtOnce() {
    // 64 blocks on two threads add to the same words.
    Allocation out = device.of(new int[64]);
    KernelCode code =
        ClusterKernels.load(
            device,
            "",
            """
            .shared .align 16 .b8 tile[256]; ld.param.u64 %rd1, [out];
            mov.u32 %r1, %tid.x; mov.u32 %r3, tile; mad.lo.u32 %r4, %r1, 4, %r3; mov.u32 %r2, %ctaid.x;
            add.u32 %r2, %r2, %r1; st.shared.u32 [%r4], %r2; bar.sync 0; setp.eq.u32 %p1, %r1, 0;
            @%p1 cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.add.u32 [%rd1], [%r3], 256, %rd1;
            cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
            """);
    try (Engine engine = new Engine(device.memory, 2)) {
      engine.run(ClusterKernels.request(code, 64, 64, 0, out, out));
    }
    int[] got = Device.ints(out);
    for (int t = 0; t < 64; t++) {
      assertThat(got[t]).isEqualTo(64 * t + 63 * 64 / 2);
    }
  }
}
