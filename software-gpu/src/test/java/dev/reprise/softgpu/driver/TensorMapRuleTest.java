package dev.reprise.softgpu.driver;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The rules of the three calls that make tensor maps, each with what just keeps it and what breaks
 * it (CUDA Driver API, "Tensor Map Object Management").
 */
class TensorMapRuleTest extends DriverTest {

  private static final int INT32 = 3;
  private static final int FLOAT16 = 6;
  private static final int FLOAT32 = 7;
  private static final int FLOAT64 = 8;
  private static final int BFLOAT16 = 9;
  private static final int FLOAT32_FTZ = 10;
  private static final int TFLOAT32_FTZ = 12;
  private static final int U4 = 13;
  private static final int U4_GAPS = 14;
  private static final int U6_GAPS = 15;
  private static final int SWIZZLE_32 = 1;
  private static final int SWIZZLE_64 = 2;
  private static final int SWIZZLE_128 = 3;
  private static final int ATOM_32 = 4;
  private static final int FLIP_8 = 5;
  private static final int ATOM_64 = 6;

  private enum Kind {
    TILED,
    IM2COL,
    WIDE
  }

  /** What a map is made of; at first such that all three calls take it. */
  private final class Shape {
    private int type = INT32;
    private int rank = 4;
    private long address = 0x10000;
    private final long[] extents = {64, 9, 7, 5, 3};
    private final long[] strides = {256, 2304, 16128, 80640};
    private final int[] box = {16, 4, 4, 1, 1};
    private final int[] lower = {0, 0, 0};
    private final int[] upper = {0, 0, 0};
    private int channels = 16;
    private int pixels = 64;
    private final int[] steps = {1, 1, 1, 1, 1};
    private int interleave;
    private int mode;
    private int swizzle = SWIZZLE_64;
    private int promotion;
    private int fill;
    private MemorySegment map = arena().allocate(128, 64);
    private boolean noCorners;

    private void row(int elements) {
      box[0] = elements;
      channels = elements;
    }

    /** Packed elements, for which a row has 128. */
    private void packed(int packedType, int packedSwizzle) {
      type = packedType;
      swizzle = packedSwizzle;
      extents[0] = 256;
      row(128);
    }

    private MemorySegment ints(int[] all) {
      return arena().allocateFrom(JAVA_INT, all);
    }

    private int encode(Kind kind) {
      MemorySegment at = MemorySegment.ofAddress(address);
      MemorySegment dims = arena().allocateFrom(JAVA_LONG, extents);
      MemorySegment pitch = arena().allocateFrom(JAVA_LONG, strides);
      MemorySegment low = noCorners ? MemorySegment.NULL : ints(lower);
      return switch (kind) {
        case TILED ->
            cuda_h.cuTensorMapEncodeTiled(
                map,
                type,
                rank,
                at,
                dims,
                pitch,
                ints(box),
                ints(steps),
                interleave,
                swizzle,
                promotion,
                fill);
        case IM2COL ->
            cuda_h.cuTensorMapEncodeIm2col(
                map,
                type,
                rank,
                at,
                dims,
                pitch,
                low,
                ints(upper),
                channels,
                pixels,
                ints(steps),
                interleave,
                swizzle,
                promotion,
                fill);
        case WIDE ->
            cuda_h.cuTensorMapEncodeIm2colWide(
                map,
                type,
                rank,
                at,
                dims,
                pitch,
                lower[0],
                upper[0],
                channels,
                pixels,
                ints(steps),
                interleave,
                mode,
                swizzle,
                promotion,
                fill);
      };
    }
  }

  private record Rule(String name, Consumer<Shape> kept, Consumer<Shape> broken, Kind... kinds) {
    @Override
    public String toString() {
      return name;
    }
  }

  private static Rule rule(String name, Consumer<Shape> kept, Consumer<Shape> broken) {
    return new Rule(name, kept, broken, Kind.values());
  }

  private static Rule rule(
      String name, Consumer<Shape> kept, Consumer<Shape> broken, Kind... kinds) {
    return new Rule(name, kept, broken, kinds);
  }

  private static final Consumer<Shape> AS_IT_IS = s -> {};

  private static Stream<Rule> rules() {
    return Stream.of(
        rule("the map is aligned", AS_IT_IS, s -> s.map = s.map.asSlice(32)),
        rule("there is a map", AS_IT_IS, s -> s.map = MemorySegment.NULL),
        rule("the type is known", s -> s.type = 0, s -> s.type = 16),
        rule("the type is not negative", s -> s.type = 1, s -> s.type = -1),
        rule("the rank is not 0", s -> s.rank = 3, s -> s.rank = 0),
        rule("the rank is 5 at most", s -> s.rank = 5, s -> s.rank = 6),
        rule("images have 3 dimensions", s -> s.rank = 3, s -> s.rank = 2, Kind.IM2COL, Kind.WIDE),
        rule("the address is a multiple of 16", s -> s.address = 0x10010, s -> s.address = 0x10008),
        rule(
            "the address of 4 bits with gaps is a multiple of 32",
            s -> s.packed(U4_GAPS, SWIZZLE_128),
            s -> {
              s.packed(U4_GAPS, SWIZZLE_128);
              s.address = 0x10010;
            }),
        rule(
            "the address of 6 bits is a multiple of 32",
            s -> s.packed(U6_GAPS, SWIZZLE_128),
            s -> {
              s.packed(U6_GAPS, SWIZZLE_128);
              s.address = 0x10010;
            }),
        rule("extents are not 0", s -> s.extents[1] = 1, s -> s.extents[1] = 0),
        rule(
            "extents have 32 bits",
            s -> s.extents[3] = 1L << 32,
            s -> s.extents[3] = (1L << 32) + 1),
        rule(
            "the extent of 4 bits is even",
            s -> {
              s.packed(U4, SWIZZLE_64);
              s.extents[0] = 66;
            },
            s -> {
              s.packed(U4, SWIZZLE_64);
              s.extents[0] = 65;
            }),
        rule(
            "the extent of 4 bits with gaps is a multiple of 128",
            s -> s.packed(U4_GAPS, ATOM_32),
            s -> {
              s.packed(U4_GAPS, ATOM_32);
              s.extents[0] = 192;
            }),
        rule(
            "the extent of 6 bits is a multiple of 128",
            s -> s.packed(U6_GAPS, ATOM_32),
            s -> {
              s.packed(U6_GAPS, ATOM_32);
              s.extents[0] = 192;
            }),
        rule("strides are multiples of 16", s -> s.strides[1] = 16, s -> s.strides[1] = 24),
        rule(
            "strides have 40 bits",
            s -> s.strides[2] = (1L << 40) - 16,
            s -> s.strides[2] = 1L << 40),
        rule("strides are not negative", s -> s.strides[2] = 0, s -> s.strides[2] = -16),
        rule(
            "strides of 4 bits with gaps are multiples of 32",
            s -> s.packed(U4_GAPS, SWIZZLE_128),
            s -> {
              s.packed(U4_GAPS, SWIZZLE_128);
              s.strides[0] = 272;
            }),
        rule(
            "strides of 6 bits are multiples of 32",
            s -> s.packed(U6_GAPS, SWIZZLE_128),
            s -> {
              s.packed(U6_GAPS, SWIZZLE_128);
              s.strides[0] = 272;
            }),
        rule("steps are not 0", s -> s.steps[0] = 0, s -> s.steps[1] = 0),
        rule("steps are 8 at most", s -> s.steps[2] = 8, s -> s.steps[2] = 9),
        rule("the interleave is known", AS_IT_IS, s -> s.interleave = 3),
        rule("the swizzle is known", s -> s.swizzle = SWIZZLE_128, s -> s.swizzle = 7),
        rule("the promotion is known", s -> s.promotion = 3, s -> s.promotion = 4),
        rule("the fill is known", AS_IT_IS, s -> s.fill = 2),
        rule(
            "NaN fills floats",
            s -> {
              s.fill = 1;
              s.type = FLOAT32;
            },
            s -> s.fill = 1),
        rule(
            "NaN fills no packed elements",
            s -> {
              s.fill = 1;
              s.type = TFLOAT32_FTZ;
            },
            s -> {
              s.packed(U4, SWIZZLE_64);
              s.fill = 1;
            }),
        rule("rows are not empty", s -> s.row(4), s -> s.row(0)),
        rule(
            "rows have 256 elements at most",
            s -> {
              s.type = 0;
              s.swizzle = SWIZZLE_128;
              s.row(128);
            },
            s -> {
              s.type = U4;
              s.swizzle = SWIZZLE_128;
              s.row(288);
            }),
        rule("rows are multiples of 16 bytes", s -> s.row(12), s -> s.row(13)),
        rule(
            "rows of 4 bits are multiples of 16 bytes",
            s -> {
              s.packed(U4, SWIZZLE_64);
              s.row(96);
            },
            s -> {
              s.packed(U4, SWIZZLE_64);
              s.row(97);
            }),
        rule(
            "rows of 4 bits with gaps have 128",
            s -> s.packed(U4_GAPS, SWIZZLE_128),
            s -> {
              s.packed(U4_GAPS, SWIZZLE_128);
              s.row(64);
            }),
        rule(
            "rows of 6 bits have 128",
            s -> s.packed(U6_GAPS, SWIZZLE_128),
            s -> {
              s.packed(U6_GAPS, SWIZZLE_128);
              s.row(64);
            }),
        rule("rows fit a swizzle of 64", s -> s.row(16), s -> s.row(20)),
        rule(
            "rows fit a swizzle of 32",
            s -> {
              s.swizzle = SWIZZLE_32;
              s.row(8);
            },
            s -> {
              s.swizzle = SWIZZLE_32;
              s.row(12);
            },
            Kind.TILED,
            Kind.IM2COL),
        rule(
            "rows fit a swizzle of 128",
            s -> {
              s.swizzle = SWIZZLE_128;
              s.row(32);
            },
            s -> {
              s.swizzle = SWIZZLE_128;
              s.row(36);
            }),
        rule(
            "rows fit a swizzle of 128 by larger atoms",
            s -> {
              s.swizzle = ATOM_64;
              s.row(32);
            },
            s -> {
              s.swizzle = ATOM_64;
              s.row(36);
            },
            Kind.TILED,
            Kind.IM2COL),
        rule(
            "4 bits with gaps have no swizzle of 64",
            s -> s.packed(U4_GAPS, ATOM_32),
            s -> s.packed(U4_GAPS, SWIZZLE_64)),
        rule(
            "4 bits with gaps have no atoms of 64",
            s -> s.packed(U4_GAPS, 0),
            s -> s.packed(U4_GAPS, ATOM_64),
            Kind.TILED,
            Kind.IM2COL),
        rule(
            "6 bits have no swizzle of 64",
            s -> s.packed(U6_GAPS, ATOM_32),
            s -> s.packed(U6_GAPS, SWIZZLE_64)),
        rule(
            "6 bits have no exchange of 8 bytes",
            s -> s.packed(U6_GAPS, ATOM_64),
            s -> s.packed(U6_GAPS, FLIP_8),
            Kind.TILED,
            Kind.IM2COL),
        rule(
            "6 bits are not interleaved",
            s -> s.packed(U6_GAPS, SWIZZLE_128),
            s -> {
              s.packed(U6_GAPS, SWIZZLE_128);
              s.interleave = 1;
            }),
        rule("boxes are not empty", s -> s.box[1] = 1, s -> s.box[1] = 0, Kind.TILED),
        rule("boxes have 256 at most", s -> s.box[1] = 256, s -> s.box[1] = 257, Kind.TILED),
        rule("there are pixels", s -> s.pixels = 1, s -> s.pixels = 0, Kind.IM2COL, Kind.WIDE),
        rule(
            "there are 1024 pixels at most",
            s -> s.pixels = 1024,
            s -> s.pixels = 1025,
            Kind.IM2COL,
            Kind.WIDE),
        rule(
            "128 pixels need no number",
            s -> {
              s.mode = 1;
              s.pixels = 5000;
            },
            s -> s.mode = 2,
            Kind.WIDE),
        rule(
            "corners of images of one dimension have 16 bits",
            s -> {
              s.rank = 3;
              s.lower[0] = -32768;
            },
            s -> {
              s.rank = 3;
              s.lower[0] = -32769;
            },
            Kind.IM2COL,
            Kind.WIDE),
        rule(
            "upper corners of images of one dimension have 16 bits",
            s -> {
              s.rank = 3;
              s.upper[0] = 32767;
            },
            s -> {
              s.rank = 3;
              s.upper[0] = 32768;
            },
            Kind.IM2COL,
            Kind.WIDE),
        rule(
            "corners of images of two dimensions have 8 bits",
            s -> s.lower[1] = -128,
            s -> s.lower[1] = -129,
            Kind.IM2COL),
        rule(
            "upper corners of images of two dimensions have 8 bits",
            s -> s.upper[1] = 127,
            s -> s.upper[1] = 128,
            Kind.IM2COL),
        rule(
            "corners of images of three dimensions have 5 bits",
            s -> {
              s.rank = 5;
              s.lower[2] = -16;
            },
            s -> {
              s.rank = 5;
              s.lower[2] = -17;
            },
            Kind.IM2COL),
        rule(
            "upper corners of images of three dimensions have 5 bits",
            s -> {
              s.rank = 5;
              s.upper[2] = 15;
            },
            s -> {
              s.rank = 5;
              s.upper[2] = 16;
            },
            Kind.IM2COL),
        rule(
            "boxes of pixels have some",
            s -> s.upper[0] = -8,
            s -> s.upper[0] = -9,
            Kind.IM2COL,
            Kind.WIDE),
        rule(
            "boxes of pixels have some along H",
            s -> s.lower[1] = 6,
            s -> s.lower[1] = 7,
            Kind.IM2COL),
        rule("there are corners", AS_IT_IS, s -> s.noCorners = true, Kind.IM2COL),
        rule(
            "pixels along W are swizzled", s -> s.swizzle = ATOM_32, s -> s.swizzle = 0, Kind.WIDE),
        rule(
            "pixels along W have no swizzle of 32",
            s -> s.swizzle = SWIZZLE_128,
            s -> {
              s.swizzle = SWIZZLE_32;
              s.row(8);
            },
            Kind.WIDE),
        rule("pixels along W have no atoms of 64", AS_IT_IS, s -> s.swizzle = ATOM_64, Kind.WIDE),
        rule("pixels along W are not interleaved", AS_IT_IS, s -> s.interleave = 1, Kind.WIDE));
  }

  private static Stream<Arguments> cases() {
    return rules().flatMap(r -> Arrays.stream(r.kinds).map(kind -> Arguments.of(kind, r)));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void keepsTo(Kind kind, Rule rule) {
    Shape kept = new Shape();
    rule.kept.accept(kept);
    ok(kept.encode(kind));
    Shape broken = new Shape();
    MemorySegment whole = broken.map;
    rule.broken.accept(broken);
    expect(Result.INVALID_VALUE, broken.encode(kind));
    assertThat(whole.toArray(JAVA_BYTE)).as("the map is left alone").containsOnly(0);
  }

  /** Interleaved tensors are checked, but their layout is open. */
  @Test
  void interleavedTensorsAreToldApart() {
    for (Kind kind : new Kind[] {Kind.TILED, Kind.IM2COL}) {
      interleaved(Result.NOT_SUPPORTED, kind, s -> {});
      // Rows need not be multiples of 16 bytes, nor fit the swizzle.
      interleaved(Result.NOT_SUPPORTED, kind, s -> s.row(5));
      interleaved(Result.NOT_SUPPORTED, kind, s -> s.row(33));
      interleaved(Result.INVALID_VALUE, kind, s -> s.swizzle = SWIZZLE_64);
      interleaved(Result.INVALID_VALUE, kind, s -> s.address = 0x10010);
      interleaved(Result.INVALID_VALUE, kind, s -> s.strides[1] = 48 + 16 * 16);
      interleaved(Result.INVALID_VALUE, kind, s -> s.steps[0] = 0);
      interleaved(Result.INVALID_VALUE, kind, s -> s.rank = 2);
      interleaved(
          Result.NOT_SUPPORTED,
          kind,
          s -> {
            s.interleave = 1;
            s.swizzle = SWIZZLE_64;
            s.address = 0x10010;
          });
    }
  }

  private void interleaved(Result expected, Kind kind, Consumer<Shape> change) {
    Shape shape = new Shape();
    shape.interleave = 2;
    shape.swizzle = SWIZZLE_32;
    change.accept(shape);
    expect(expected, shape.encode(kind));
  }

  @Test
  void allFloatsCanBeFilledWithNan() {
    for (int type :
        new int[] {FLOAT16, FLOAT32, FLOAT64, BFLOAT16, FLOAT32_FTZ, 11, TFLOAT32_FTZ}) {
      Shape shape = new Shape();
      shape.type = type;
      shape.fill = 1;
      shape.row(8);
      ok(shape.encode(Kind.TILED));
    }
  }

  @Test
  void aMapOfPackedElementsMovesToMultiplesOf32() {
    Shape shape = new Shape();
    shape.packed(U6_GAPS, SWIZZLE_128);
    ok(shape.encode(Kind.TILED));
    expect(
        Result.INVALID_VALUE,
        cuda_h.cuTensorMapReplaceAddress(shape.map, MemorySegment.ofAddress(0x20010)));
    ok(cuda_h.cuTensorMapReplaceAddress(shape.map, MemorySegment.ofAddress(0x20020)));
  }
}
