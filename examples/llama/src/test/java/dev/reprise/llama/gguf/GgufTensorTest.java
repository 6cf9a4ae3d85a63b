package dev.reprise.llama.gguf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class GgufTensorTest {
  @Test
  void dataIsExactlyTheBytesOfTheTensor() {
    GgufFile file = GgufSamples.parse(GgufSamples.small());
    GgufTensor a = file.tensor("a.weight");
    assertThat(a.toString()).isEqualTo("a.weight F32 [3, 2]");
    assertThat(a.elements()).isEqualTo(6);
    assertThat(a.data().toArray(ValueLayout.JAVA_BYTE))
        .isEqualTo(GgufBytes.floats(1, 2, 3, 4, 5, 6));
    assertThat(file.tensor("b.weight").data().toArray(ValueLayout.JAVA_BYTE))
        .containsExactly(0, 0x3c, 0, 0x40);
  }

  @Test
  void aQuantisedTensorIsListedButNotHandedOut() {
    GgufFile file = GgufSamples.parse(GgufSamples.small());
    assertThat(file.tensors()).extracting(GgufTensor::type).contains(GgufTensorType.Q8_0);
    assertThat(file.hasTensor("c.weight")).isTrue();
    assertThatThrownBy(() -> file.tensor("c.weight"))
        .isInstanceOf(GgufException.class)
        .hasMessageContaining("tensor \"c.weight\" is Q8_0, supported: F32, F16");
  }

  @Test
  void aMissingTensorIsNamed() {
    GgufFile file = GgufSamples.parse(GgufSamples.small());
    assertThat(file.hasTensor("output.weight")).isFalse();
    assertThatThrownBy(() -> file.tensor("output.weight"))
        .isInstanceOf(GgufException.class)
        .hasMessage("test.gguf: there is no tensor \"output.weight\" among its 3");
  }

  @ParameterizedTest
  @EnumSource(GgufTensorType.class)
  void everyTypeTakesItsBlocks(GgufTensorType type) {
    byte[] data = new byte[3 * type.blockBytes()];
    byte[] whole = new GgufWriter().tensor("t", type, data, type.blockElements(), 3).toArray();
    GgufTensor tensor = GgufSamples.parse(whole).tensors().getFirst();
    assertThat(tensor.type()).isEqualTo(type);
    assertThat(tensor.elements()).isEqualTo(3L * type.blockElements());
    assertThat(tensor.data().byteSize()).isEqualTo(data.length);
    byte[] cut = Arrays.copyOf(whole, whole.length - 1);
    assertThatThrownBy(() -> GgufSamples.parse(cut)).isInstanceOf(GgufException.class);
  }

  @Test
  void rowsMustBeWholeBlocks() {
    byte[] file = new GgufWriter().tensor("t", GgufTensorType.Q4_K, new byte[144], 64, 4).toArray();
    assertThatThrownBy(() -> GgufSamples.parse(file))
        .isInstanceOf(GgufException.class)
        .hasMessageContaining(
            "tensor \"t\" of type Q4_K to have rows of a multiple of 256, found 64");
  }
}
