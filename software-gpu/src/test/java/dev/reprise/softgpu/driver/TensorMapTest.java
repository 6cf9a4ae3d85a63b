package dev.reprise.softgpu.driver;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** Maps of tensors, and a kernel that nvcc has compiled to use them. */
class TensorMapTest extends DriverTest {

  private static final MemorySegment NONE = MemorySegment.NULL;
  private static final int INT32 = 3;
  private static final int FLOAT32 = 7;
  private static final int TENSOR_MAP_ACCESS = 127;

  /** What a map is made of. */
  private final class Shape {
    private int type = INT32;
    private int rank = 2;
    private long address;
    private long[] extents = {70, 41};
    private long[] strides = {288};
    private int[] box = {32, 16};
    private int[] steps = {1, 1};
    private int interleave;
    private int swizzle;
    private int promotion;
    private int fill;

    private int encode(MemorySegment map) {
      return cuda_h.cuTensorMapEncodeTiled(
          map,
          type,
          rank,
          MemorySegment.ofAddress(address),
          arena().allocateFrom(JAVA_LONG, extents),
          arena().allocateFrom(JAVA_LONG, strides),
          arena().allocateFrom(JAVA_INT, box),
          arena().allocateFrom(JAVA_INT, steps),
          interleave,
          swizzle,
          promotion,
          fill);
    }
  }

  private MemorySegment map() {
    return arena().allocate(128, 64);
  }

  private MemorySegment mapOf(long matrix) {
    MemorySegment map = map();
    Shape shape = new Shape();
    shape.address = matrix;
    ok(shape.encode(map));
    return map;
  }

  /** 41 rows of 72 words, of which 70 belong to the matrix. */
  private static int[] matrix() {
    int[] words = new int[41 * 72];
    for (int k = 0; k < words.length; k++) {
      words[k] = 17 * k - 900;
    }
    return words;
  }

  private static int[] scaled(int factor) {
    int[] want = new int[41 * 72];
    for (int k = 0; k < want.length; k++) {
      want[k] = k % 72 < 70 ? matrix()[k] * factor : 0;
    }
    return want;
  }

  private MemorySegment scale() {
    MemorySegment image = arena().allocateFrom(text("tensors.ptx"));
    return kernel(out(slot -> cuda_h.cuModuleLoadData(slot, image)), "scale");
  }

  private void launch(MemorySegment kernel, MemorySegment in, MemorySegment out, int factor) {
    MemorySegment parameters = arena().allocate(ADDRESS, 3);
    parameters.setAtIndex(ADDRESS, 0, in);
    parameters.setAtIndex(ADDRESS, 1, out);
    parameters.setAtIndex(ADDRESS, 2, arena().allocateFrom(JAVA_INT, factor));
    ok(cuda_h.cuLaunchKernel(kernel, 3, 3, 1, 64, 1, 1, 0, NONE, parameters, NONE));
    ok(cuda_h.cuCtxSynchronize());
  }

  @Test
  void aKernelCopiesTheTilesOfAMatrix() {
    long in = ints(matrix());
    long out = ints(new int[41 * 72]);
    MemorySegment kernel = scale();
    launch(kernel, mapOf(in), mapOf(out), 3);
    assertThat(read(out, 41 * 72)).isEqualTo(scaled(3));
    assertThat(outInt(slot -> cuda_h.cuDeviceGetAttribute(slot, TENSOR_MAP_ACCESS, 0)))
        .isEqualTo(1);
  }

  @Test
  void aMapIsMovedToAnotherTensor() {
    long in = ints(matrix());
    long out = ints(new int[41 * 72]);
    MemorySegment from = mapOf(ints(new int[41 * 72]));
    MemorySegment to = mapOf(in);
    ok(cuda_h.cuTensorMapReplaceAddress(from, MemorySegment.ofAddress(in)));
    ok(cuda_h.cuTensorMapReplaceAddress(to, MemorySegment.ofAddress(out)));
    launch(scale(), from, to, 5);
    assertThat(read(out, 41 * 72)).isEqualTo(scaled(5));
    expect(
        Result.INVALID_VALUE,
        cuda_h.cuTensorMapReplaceAddress(from, MemorySegment.ofAddress(in + 4)));
    expect(
        Result.INVALID_VALUE, cuda_h.cuTensorMapReplaceAddress(map(), MemorySegment.ofAddress(in)));
    expect(Result.INVALID_VALUE, cuda_h.cuTensorMapReplaceAddress(NONE, NONE));
  }

  private void refused(Result expected, java.util.function.Consumer<Shape> change) {
    Shape shape = new Shape();
    shape.address = 0x1000;
    change.accept(shape);
    MemorySegment map = map();
    expect(expected, shape.encode(map));
    assertThat(map.mismatch(map())).as("the map is left alone").isEqualTo(-1);
  }

  @Test
  void whatNoMapCanBeIsRefused() {
    Result invalid = Result.INVALID_VALUE;
    refused(invalid, s -> s.type = 16);
    refused(invalid, s -> s.rank = 0);
    refused(invalid, s -> s.rank = 6);
    refused(invalid, s -> s.address = 0x1008);
    refused(invalid, s -> s.extents = new long[] {0, 41});
    refused(invalid, s -> s.extents = new long[] {70, (1L << 32) + 1});
    refused(invalid, s -> s.strides = new long[] {280});
    refused(invalid, s -> s.strides = new long[] {1L << 40});
    refused(invalid, s -> s.box = new int[] {0, 16});
    refused(invalid, s -> s.box = new int[] {32, 257});
    refused(invalid, s -> s.box = new int[] {33, 16});
    refused(invalid, s -> s.steps = new int[] {1, 0});
    refused(invalid, s -> s.steps = new int[] {1, 9});
    refused(invalid, s -> s.interleave = 3);
    refused(invalid, s -> s.swizzle = 7);
    refused(invalid, s -> s.promotion = 4);
    refused(invalid, s -> s.fill = 2);
    refused(invalid, s -> s.fill = 1);
    // Rows of 128 bytes do not fit the span of 64.
    refused(invalid, s -> s.swizzle = 2);
    Shape shape = new Shape();
    expect(invalid, shape.encode(NONE));
    expect(invalid, shape.encode(arena().allocate(192, 64).asSlice(8)));
  }

  @Test
  void whatMapsCanBeIsTaken() {
    Shape shape = new Shape();
    shape.type = FLOAT32;
    shape.fill = 1;
    shape.swizzle = 3;
    shape.promotion = 3;
    // The step of the innermost dimension counts for nothing.
    shape.steps = new int[] {0, 8};
    ok(shape.encode(map()));
    shape.extents = new long[] {1L << 32, 1};
    ok(shape.encode(map()));
    shape.rank = 1;
    ok(shape.encode(map()));
  }
}
