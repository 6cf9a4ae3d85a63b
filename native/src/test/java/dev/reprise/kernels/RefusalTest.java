package dev.reprise.kernels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(GpuExtension.class)
class RefusalTest {

  @Test
  void aBufferThatIsTooSmall(Gpu gpu) {
    Span x = gpu.floatsOf(2 * 128 - 1);
    Span w = gpu.floatsOf(128);
    Span out = gpu.floatsOf(256);
    refused(
        () -> gpu.kernels().norms().rms(x, w, out, 2, 128, 1e-5f),
        "rms_norm",
        "x",
        "1024",
        "1020",
        x.buffer().label());
  }

  @Test
  void aSpanThatIsNotAligned(Gpu gpu) {
    Span x = Span.from(gpu.floatsOf(132).buffer(), 4);
    Span w = gpu.floatsOf(128);
    Span out = gpu.floatsOf(128);
    refused(
        () -> gpu.kernels().norms().rms(x, w, out, 1, 128, 1e-5f),
        "rms_norm",
        "x must be aligned to 16 bytes",
        "offset 4");
  }

  @Test
  void anOutputThatOverlapsAnInput(Gpu gpu) {
    Span both = gpu.floatsOf(512);
    Span w = gpu.floatsOf(128);
    refused(
        () -> gpu.kernels().norms().rms(both.slice(0, 1024), w, both.slice(1008, 1024), 2, 128, 0),
        "rms_norm",
        "out is written and must not overlap x");
    // side by side in one buffer is fine
    assertThat(gpu.kernels().norms().rms(both.slice(0, 1024), w, both.slice(1024, 1024), 2, 128, 0))
        .isNotNull();
  }

  @Test
  void aNumberOutsideItsLimits(Gpu gpu) {
    Span some = gpu.floatsOf(256);
    Span other = gpu.floatsOf(256);
    Span third = gpu.floatsOf(256);
    refused(
        () -> gpu.kernels().norms().rms(some, other, third, 0, 128, 0),
        "rms_norm",
        "rows",
        "from 1 to 65535",
        "is 0");
    refused(
        () -> gpu.kernels().norms().rms(some, other, third, 1, 128, Float.NaN),
        "rms_norm",
        "eps",
        "NaN");
  }

  @Test
  void sizesThatWouldOverflowAreNotTakenForSmall(Gpu gpu) {
    Span some = gpu.floatsOf(256);
    Span y = gpu.floatsOf(256);
    Span x = gpu.floatsOf(256);
    assertThatThrownBy(() ->
            gpu.kernels()
                .matMul()
                .multiply(WeightType.F32, some, x, y, 1, 1 << 20, Integer.MAX_VALUE - 64))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("w needs");
  }

  @Test
  void aHeadWidthOrBlockSizeThatIsNotSupported(Gpu gpu) {
    Span some = gpu.floatsOf(4096);
    Span keys = gpu.floatsOf(4096);
    Span values = gpu.floatsOf(4096);
    Span out = gpu.floatsOf(4096);
    Span ints = gpu.intsOf(8);
    BlockTables tables = new BlockTables(gpu.intsOf(8), 1, 1);
    refused(
        () ->
            gpu.kernels()
                .attention()
                .paged(
                    some,
                    new KvLayer(keys, values, 2, 1, 16, 48),
                    ints,
                    ints,
                    tables,
                    out,
                    gpu.status(),
                    1,
                    1,
                    0.1f),
        "paged_attention",
        "headDim",
        "48");
    refused(
        () ->
            gpu.kernels()
                .attention()
                .paged(
                    some,
                    new KvLayer(keys, values, 2, 1, 24, 32),
                    ints,
                    ints,
                    tables,
                    out,
                    gpu.status(),
                    1,
                    1,
                    0.1f),
        "paged_attention_32",
        "blockSize",
        "a power of two from 16 to 1024",
        "is 24");
    refused(
        () ->
            gpu.kernels()
                .attention()
                .paged(
                    some,
                    new KvLayer(keys, values, 2, 2, 16, 32),
                    ints,
                    ints,
                    tables,
                    out,
                    gpu.status(),
                    1,
                    3,
                    0.1f),
        "paged_attention_32",
        "heads is a multiple of kvHeads");
  }

  @Test
  void spansOutsideTheirBuffer(Gpu gpu) {
    Span span = gpu.floatsOf(4);
    refused(() -> new Span(span.buffer(), 8, 16), span.buffer().label(), "16 bytes");
    refused(() -> span.slice(0, 17), "17");
    refused(() -> new Span(span.buffer(), -4, 4), "-4");
  }

  private static void refused(ThrowingCallable call, String... parts) {
    assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).message().contains(parts);
  }
}
