package dev.reprise.kernels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.kernels.check.Inputs;
import dev.reprise.kernels.contract.ElementType;
import dev.reprise.kernels.reference.MatMulReference;
import dev.reprise.kernels.variant.KernelVariant;
import dev.reprise.kernels.variant.KernelVariant.Product.Form;
import dev.reprise.kernels.variant.TunableShape;
import dev.reprise.kernels.variant.VariantTable;
import dev.reprise.kernels.variant.VariantUse;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** All variants of a kernel against the standard one and the reference, and how they are chosen. */
@ExtendWith(GpuExtension.class)
class VariantsTest {

  @ParameterizedTest
  @CsvSource({
    // rows, in, out: one chunk, a chunk and a bit, more chunks than warps; tails of rows, outputs
    "1,264,16",
    "5,1024,20",
    "1,1032,33",
    "3,2056,18",
    "6,4104,21",
    "2,9224,17",
    "2,33,19"
  })
  void everyVariantOfAProductGivesTheSameBits(int rows, int in, int out, Gpu gpu) {
    Random random = Gpu.random();
    float[] w = Inputs.halfExact(random, out * in);
    float[] x = Inputs.uniform(random, rows * in, -2, 2);
    double[] expected = MatMulReference.multiply(w, x, rows, in, out);
    double[] magnitude = MatMulReference.magnitude(w, x, rows, in, out);
    for (WeightType type : WeightType.values()) {
      TunableShape.Product shape = new TunableShape.Product(type.element(), rows, in, out);
      Span weights = gpu.weights(type, w);
      Span inputs = gpu.floats(x);
      int[] standard = null;
      for (KernelVariant.Product variant : gpu.kernels().matMul().variants(shape)) {
        Span y = gpu.floatsOf(rows * out);
        gpu.run(gpu.kernels().matMul().multiply(variant, type, weights, inputs, y, rows, in, out));
        float[] result = gpu.floats(y);
        if (standard == null) {
          standard = Close.bits(result);
          Close.assertClose(result, expected, magnitude, 2e-6);
        }
        assertThat(Close.bits(result)).as("%s %s", type, variant.text()).isEqualTo(standard);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"1,384", "3,260", "2,1031", "1,4"})
  void everyVariantOfSwigluGivesTheSameBits(int rows, int ff, Gpu gpu) {
    Span gateUp = gpu.floats(Inputs.uniform(Gpu.random(), rows * 2 * ff, -12, 12));
    int[] standard = null;
    for (KernelVariant.Gate variant :
        gpu.kernels().activation().variants(new TunableShape.Gate(rows, ff))) {
      Span out = gpu.floatsOf(rows * ff);
      gpu.run(gpu.kernels().activation().swiglu(variant, gateUp, out, rows, ff));
      int[] bits = Close.bits(gpu.floats(out));
      standard = standard == null ? bits : standard;
      assertThat(bits).as(variant.text()).isEqualTo(standard);
    }
  }

  @Test
  void aVariantThatWouldSumInAnotherOrderIsRefused(Gpu gpu) {
    Span some = gpu.floatsOf(64);
    Span x = gpu.floatsOf(64);
    Span y = gpu.floatsOf(64);
    KernelVariant.Product any = new KernelVariant.Product(Form.ANY, 4, 1);
    assertThatThrownBy(
            () -> gpu.kernels().matMul().multiply(any, WeightType.F32, some, x, y, 1, 8, 8))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("matmul_f32_any")
        .hasMessageContaining("not for row lengths that are multiples of 4");
    KernelVariant.Product split = new KernelVariant.Product(Form.SPLIT, 4, 1);
    assertThatThrownBy(
            () -> gpu.kernels().matMul().multiply(split, WeightType.F32, some, x, y, 1, 7, 8))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("matmul_f32_split")
        .hasMessageContaining("in is 7");
  }

  @Test
  void aShapeInTheTableRunsItsVariantAndAnotherTheStandardOneAtOnce(Gpu gpu) {
    try (Kernels kernels = Kernels.load(gpu.device())) {
      String defaults = kernels.digest() + "/default";
      TunableShape.Product shape = new TunableShape.Product(ElementType.F32, 1, 2048, 8);
      KernelVariant.Product split = new KernelVariant.Product(Form.SPLIT, 2, 1);
      VariantTable table = VariantTable.of(Map.of(shape, split));
      kernels.use(table);
      Span w = gpu.floatsOf(2048 * 8);
      Span x = gpu.floatsOf(2048);
      Span y = gpu.floatsOf(8);
      assertThat(kernels.variantUse()).isEqualTo(new VariantUse(0, 0));
      assertThat(kernels.matMul().multiply(WeightType.F32, w, x, y, 1, 2048, 8).kernel().name())
          .isEqualTo("matmul_f32_split");
      assertThat(kernels.matMul().multiply(WeightType.F32, w, x, y, 1, 1024, 8).kernel().name())
          .isEqualTo("matmul_f32_narrow");
      assertThat(kernels.variantUse()).isEqualTo(new VariantUse(1, 1));
      assertThat(kernels.signature())
          .isEqualTo(kernels.digest() + "/" + table.signature())
          .isNotEqualTo(defaults);
      assertThatThrownBy(() -> kernels.use(VariantTable.DEFAULTS))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("in use");
    }
  }

  @Test
  void signaturesDifferWithAnyChoiceAndAreEqualForEqualTables() {
    TunableShape.Gate shape = new TunableShape.Gate(1, 8);
    VariantTable one = VariantTable.of(Map.of(shape, new KernelVariant.Gate(4, 1)));
    assertThat(VariantTable.of(Map.of(shape, new KernelVariant.Gate(4, 1))).signature())
        .isEqualTo(one.signature());
    assertThat(VariantTable.of(Map.of(shape, new KernelVariant.Gate(4, 2))).signature())
        .isNotEqualTo(one.signature());
    assertThat(
            VariantTable.of(Map.of(new TunableShape.Gate(2, 8), new KernelVariant.Gate(4, 1)))
                .signature())
        .isNotEqualTo(one.signature());
    assertThat(VariantTable.of(Map.of()).signature()).isEqualTo("default");
  }
}
