package dev.reprise.softgpu.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.softgpu.engine.exec.TensorElement;
import dev.reprise.softgpu.engine.exec.TensorMap;
import dev.reprise.softgpu.engine.exec.TensorMode;
import dev.reprise.softgpu.engine.exec.TensorRegion;
import dev.reprise.softgpu.engine.exec.TensorSwizzle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Copies of pixels ({@code .im2col}) against lists of all places of a filter. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class TensorColumnTest {
  private static final long SEED = 1409;

  private final TensorKernels kernels = new TensorKernels();

  @AfterEach
  void close() {
    kernels.close();
  }

  /** Images as a convolution sees them; places are in the order W, H, D. */
  private record Convolution(TensorMap map, int[] lower, int[] upper, int channels, int pixels) {
    int places() {
      return lower.length;
    }

    int end(int k) {
      return (int) map.extents()[k + 1] + upper[k];
    }

    /** All places of the filter in all images, the innermost fastest, with the image last. */
    List<int[]> bases(int images) {
      List<int[]> all = List.of(new int[0]);
      for (int k = places(); k >= 0; k--) {
        List<int[]> longer = new ArrayList<>();
        for (int[] outer : all) {
          int first = k == places() ? 0 : lower[k];
          int end = k == places() ? images : end(k);
          int step = k == places() ? 1 : map.steps()[k + 1];
          for (int c = first; c < end; c += step) {
            int[] base = new int[outer.length + 1];
            System.arraycopy(outer, 0, base, 1, outer.length);
            base[0] = c;
            longer.add(base);
          }
        }
        all = longer;
      }
      return all;
    }

    /** Where a channel of a pixel is in memory, -1 outside. */
    long place(int channel, int[] base, int[] offsets) {
      long[] c = new long[map.rank()];
      c[0] = channel;
      for (int k = 0; k < base.length; k++) {
        c[k + 1] = (long) base[k] + (k < offsets.length ? offsets[k] : 0);
      }
      return TensorKernels.place(map, c);
    }
  }

  private Convolution random(SplittableRandom random, int rank, boolean inside, TensorMode mode) {
    TensorElement type =
        new TensorElement[] {
              TensorElement.U8, TensorElement.F16, TensorElement.U32, TensorElement.U64
            }
            [random.nextInt(4)];
    long[] extents = new long[rank];
    long[] strides = new long[rank - 1];
    int[] steps = new int[rank];
    extents[0] = random.nextInt(1, 40);
    long stride = (type.bytes(extents[0]) + 15) / 16 * 16 + 16L * random.nextInt(2);
    for (int k = 0; k < rank; k++) {
      steps[k] = random.nextInt(1, 4);
      extents[k] = k == 0 ? extents[0] : random.nextInt(k == rank - 1 ? 1 : 2, 7);
      if (k > 0) {
        strides[k - 1] = stride;
        stride *= extents[k];
      }
    }
    steps[rank - 1] = 1;
    int[] lower = new int[rank - 2];
    int[] upper = new int[rank - 2];
    for (int k = 0; k < lower.length; k++) {
      lower[k] = inside ? random.nextInt(2) : random.nextInt(-3, 2);
      int least = lower[k] + 1 - (int) extents[k + 1];
      upper[k] = random.nextInt(Math.max(least, -3), inside ? 1 : 4);
    }
    int channels = 128 / type.bits() * random.nextInt(1, 3);
    int pixels = random.nextInt(1, 60);
    TensorMap map =
        new TensorMap(
            type,
            kernels.memory(random, stride).base(),
            extents,
            strides,
            steps,
            new TensorRegion.Column(mode, lower, upper, channels, pixels),
            mode == TensorMode.IM2COL ? TensorSwizzle.NONE : TensorSwizzle.B128,
            false);
    return new Convolution(map, lower, upper, channels, pixels);
  }

  /** The bytes of a column that begins at one of the places. */
  private static void column(
      Convolution c,
      List<int[]> bases,
      int channel,
      int[] offsets,
      int pixels,
      TensorKernels.Visit v) {
    int element = c.map.type().bits() / 8;
    int n = 0;
    for (int p = 0; p < pixels; p++) {
      for (int k = 0; k < c.channels; k++) {
        long place = p < bases.size() ? c.place(channel + k, bases.get(p), offsets) : -1;
        for (int b = 0; b < element; b++, n++) {
          v.at(n, place < 0 ? -1 : place + b);
        }
      }
    }
  }

  private static int[] coordinates(int channel, int[] base) {
    int[] at = new int[base.length + 1];
    at[0] = channel;
    System.arraycopy(base, 0, at, 1, base.length);
    return at;
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 4, 5})
  void bringsColumnsToSharedMemory(int rank) {
    SplittableRandom random = new SplittableRandom(SEED + rank);
    int fromMemory = 0;
    int outside = 0;
    for (int n = 0; n < 30; n++) {
      Convolution c = random(random, rank, false, TensorMode.IM2COL);
      List<int[]> bases = c.bases((int) c.map.extents()[rank - 1]);
      bases = bases.subList(random.nextInt(bases.size()), bases.size());
      int[] offsets = new int[rank - 2];
      Arrays.setAll(offsets, k -> random.nextInt(4));
      int channel = random.nextInt(-2, 8);
      byte[] from = kernels.content(c.map);
      byte[] want = TensorKernels.tile();
      int[] counts = new int[2];
      column(
          c,
          bases,
          channel,
          offsets,
          c.pixels,
          (offset, place) -> {
            want[offset] = place < 0 ? 0 : from[(int) place];
            counts[place < 0 ? 0 : 1]++;
          });
      outside += counts[0];
      fromMemory += counts[1];
      int[] at = coordinates(channel, bases.getFirst());
      byte[] got = kernels.loaded(c.map, "im2col", at, offsets, counts[0] + counts[1]);
      assertThat(got)
          .as("seed %d, column %d of %s at %s", SEED, n, c, Arrays.toString(at))
          .isEqualTo(want);
    }
    assertThat(fromMemory).isPositive();
    assertThat(outside).isPositive();
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 4, 5})
  void takesColumnsToGlobalMemory(int rank) {
    SplittableRandom random = new SplittableRandom(SEED - rank);
    for (int n = 0; n < 15; n++) {
      Convolution c = random(random, rank, true, TensorMode.IM2COL);
      List<int[]> bases = c.bases((int) c.map.extents()[rank - 1]);
      bases = bases.subList(random.nextInt(bases.size()), bases.size());
      int channel = random.nextInt(3);
      byte[] tile = TensorKernels.tile();
      byte[] want = kernels.content(c.map);
      column(
          c,
          bases,
          channel,
          new int[0],
          c.pixels,
          (offset, place) -> {
            if (place >= 0) {
              want[(int) place] = tile[offset];
            }
          });
      String form =
          "cp.async.bulk.tensor." + rank + "d.global.shared::cta.im2col_no_offs.bulk_group";
      int[] at = coordinates(channel, bases.getFirst());
      kernels.run(
          Execution.ADAPTIVE,
          TensorKernels.store(form, rank) + TensorKernels.WAIT_STORE,
          c.map,
          kernels.device.allocate(TensorKernels.TILE),
          1,
          at,
          new int[0],
          0);
      assertThat(kernels.content(c.map))
          .as("seed %d, column %d of %s at %s", SEED, n, c, Arrays.toString(at))
          .isEqualTo(want);
    }
  }

  @Test
  void addsColumnsToGlobalMemory() {
    TensorMap map =
        new TensorMap(
            TensorElement.U32,
            kernels.memory(new SplittableRandom(SEED), 4 * 3 * 16).base(),
            new long[] {4, 4, 3},
            new long[] {16, 64},
            new int[] {1, 1, 1},
            new TensorRegion.Column(TensorMode.IM2COL, new int[] {1}, new int[] {-1}, 4, 5),
            TensorSwizzle.NONE,
            false);
    int[] want =
        Device.ints(java.util.Objects.requireNonNull(kernels.device.memory.find(map.address())));
    // The pixels 1 and 2 of images 1 and 2, from pixel 2 of image 0 on.
    int[] pixels = {2, 4 + 1, 4 + 2, 8 + 1, 8 + 2};
    for (int p = 0; p < pixels.length; p++) {
      for (int k = 0; k < 4; k++) {
        want[pixels[p] * 4 + k] += 1000 + p * 4 + k;
      }
    }
    String form = "cp.reduce.async.bulk.tensor.3d.global.shared::cta.add.im2col_no_offs.bulk_group";
    kernels.run(
        Execution.ADAPTIVE,
        TensorKernels.store(form, 3) + TensorKernels.WAIT_STORE,
        map,
        kernels.device.allocate(TensorKernels.TILE),
        1,
        new int[] {0, 2, 0},
        new int[0],
        0);
    assertThat(
            Device.ints(
                java.util.Objects.requireNonNull(kernels.device.memory.find(map.address()))))
        .isEqualTo(want);
  }

  @ParameterizedTest
  @CsvSource({
    "im2col::w, IM2COL_W, 3",
    "im2col::w, IM2COL_W, 4",
    "im2col::w, IM2COL_W, 5",
    "im2col::w::128, IM2COL_W_128, 3",
    "im2col::w::128, IM2COL_W_128, 5"
  })
  void bringsRowsOfAllImagesToSharedMemory(String form, TensorMode mode, int rank) {
    SplittableRandom random = new SplittableRandom(SEED * rank);
    int images = 0;
    for (int n = 0; n < 12; n++) {
      Convolution c = random(random, rank, false, mode);
      int pixels = mode == TensorMode.IM2COL_W_128 ? 128 : c.pixels;
      int[] at = new int[rank];
      for (int k = 0; k < rank; k++) {
        at[k] = random.nextInt(k == 0 ? 3 : (int) c.map.extents()[k]);
      }
      int shift = random.nextInt(3);
      // From the left of the box at the earliest, and not behind it.
      at[1] = Math.min(c.lower[0] - 1 + random.nextInt(3), c.end(0) - 1);
      List<int[]> bases = new ArrayList<>();
      for (int image = at[rank - 1]; bases.size() < pixels; image++) {
        int first = image == at[rank - 1] ? at[1] : c.lower[0];
        for (int w = first; w < c.end(0); w += c.map.steps()[1]) {
          int[] base = Arrays.copyOfRange(at, 1, rank);
          base[0] = w;
          base[rank - 2] = image;
          bases.add(base);
        }
        images++;
      }
      byte[] from = kernels.content(c.map);
      byte[] want = TensorKernels.tile();
      column(
          c,
          bases,
          at[0],
          new int[] {shift},
          pixels,
          (offset, place) -> {
            int line = offset / 128;
            want[line * 128 + (offset / 16 % 8 ^ line % 8) * 16 + offset % 16] =
                place < 0 ? 0 : from[(int) place];
          });
      int bytes = (int) c.map.type().bytes(c.channels) * pixels;
      if (bytes % 128 != 0) {
        // The rest of the last line may be written by nobody.
        continue;
      }
      byte[] got = kernels.loaded(c.map, form, at, new int[] {0, shift}, bytes);
      assertThat(got)
          .as("seed %d, column %d of %s at %s + %d", SEED, n, c, Arrays.toString(at), shift)
          .isEqualTo(want);
    }
    assertThat(images).isGreaterThan(20);
  }

  private TensorMap images(TensorMode mode, int lower, int upper, TensorSwizzle swizzle) {
    int[] low = {lower, 0};
    int[] up = {upper, 0};
    return new TensorMap(
        TensorElement.F16,
        kernels.memory(new SplittableRandom(SEED), 2 * 4 * 5 * 32).base(),
        new long[] {16, 5, 4, 2},
        new long[] {32, 160, 640},
        new int[] {1, 1, 1, 1},
        new TensorRegion.Column(mode, low, up, 16, 8),
        swizzle,
        false);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "IM2COL|load|im2col|0,3,0,0|0,0|begins at 3 of dimension 1, which is not in the box from -1 to 2",
        "IM2COL|load|im2col|0,-2,0,0|0,0|begins at -2 of dimension 1, which is not in the box",
        "IM2COL|load|im2col|0,0,4,0|0,0|begins at 4 of dimension 2, which is not in the box from 0 to 3",
        "IM2COL|load|im2col|0,0,0,0|0,256|has the offset 256, not 0 to 255",
        "IM2COL|load|im2col::w|0,0,0,0|0,0|copies in mode .im2col::w by a map that is made for .im2col",
        "IM2COL|load|tile|0,0,0,0|0,0|copies in mode .tile by a map that is made for .im2col",
        "IM2COL|store|im2col_no_offs|0,0,0,0|0,0|stores to pixels from -1 to 2 of dimension 1, which must stay inside",
        "IM2COL|store|im2col_no_offs|0,0,-1,0|0,0|stores at coordinate -1 of dimension 2",
        "IM2COL_W|load|im2col::w|0,3,0,0|0,0|begins at 3 of dimension 1, behind its box, which ends at 2",
        "IM2COL_W|load|im2col::w|0,0,0,0|1,0|has a halo of 1 pixels, which the software GPU does not support",
        "IM2COL_W|load|im2col::w|0,0,0,0|0,32|has the offset 32, not 0 to 31",
        "IM2COL_W|load|im2col::w::128|0,0,0,0|0,0|copies in mode .im2col::w::128 by a map that is made for .im2col::w",
        "IM2COL_W|load|im2col|0,0,0,0|0,0|copies in mode .im2col by a map that is made for .im2col::w"
      })
  void reportsMisuse(String what) {
    String[] p = what.split("\\|", -1);
    TensorMap map = images(TensorMode.valueOf(p[0]), -1, -2, TensorSwizzle.B32);
    String body =
        p[1].equals("load")
            ? TensorKernels.load(4, p[2], "")
            : TensorKernels.store(
                "cp.async.bulk.tensor.4d.global.shared::cta." + p[2] + ".bulk_group", 4);
    assertThatThrownBy(() ->
            kernels.run(
                Execution.ADAPTIVE,
                body,
                map,
                kernels.device.allocate(TensorKernels.TILE),
                1,
                numbers(p[3]),
                numbers(p[4]),
                0))
        .isInstanceOfSatisfying(DeviceFault.class, e -> assertThat(e.cudaError()).isEqualTo(719))
        .hasMessageContaining(p[5]);
  }

  @Test
  void needsASwizzleForRowsOfAllImages() {
    TensorMap map = images(TensorMode.IM2COL_W, 0, 0, TensorSwizzle.NONE);
    assertThatThrownBy(() -> kernels.loaded(map, "im2col::w", new int[4], new int[2], 256))
        .hasMessageContaining("needs a swizzle");
  }

  private static int[] numbers(String list) {
    return Arrays.stream(list.split(",", -1)).mapToInt(Integer::parseInt).toArray();
  }
}
