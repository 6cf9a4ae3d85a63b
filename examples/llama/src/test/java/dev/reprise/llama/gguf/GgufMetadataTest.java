package dev.reprise.llama.gguf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class GgufMetadataTest {
  private final GgufMetadata metadata = GgufSamples.parse(GgufSamples.small()).metadata();

  @Test
  void everyTypeComesBackAsItWasWritten() {
    assertThat(metadata.value("t.u8")).isEqualTo(200);
    assertThat(metadata.value("t.i8")).isEqualTo(-3);
    assertThat(metadata.value("t.u16")).isEqualTo(65_000);
    assertThat(metadata.value("t.i16")).isEqualTo(-300);
    assertThat(metadata.value("t.u32")).isEqualTo(4_000_000_000L);
    assertThat(metadata.value("t.i32")).isEqualTo(-70_000);
    assertThat(metadata.value("t.f32")).isEqualTo(1.5f);
    assertThat(metadata.value("t.bool")).isEqualTo(true);
    assertThat(metadata.value("t.string")).isEqualTo("Zoë 🙂");
    assertThat(metadata.value("t.u64")).isEqualTo(-1L);
    assertThat(metadata.value("t.i64")).isEqualTo(-5_000_000_000L);
    assertThat(metadata.value("t.f64")).isEqualTo(0.1);
    assertThat(metadata.value("t.strings")).isEqualTo(List.of("one", "", "three"));
    assertThat(metadata.value("t.nested")).isEqualTo(List.of(List.of(7, 8), List.of("deep")));
  }

  @Test
  void keysKeepTheOrderOfTheFile() {
    assertThat(metadata.keys())
        .hasSize(16)
        .startsWith("general.alignment", "t.u8", "t.i8")
        .endsWith("t.nested");
    assertThat(metadata.type("t.nested")).isEqualTo(GgufValueType.ARRAY);
  }

  @Test
  void typedGettersTakeEveryTypeThatHoldsTheValue() {
    assertThat(metadata.u32("t.u8")).isEqualTo(200);
    assertThat(metadata.u32("t.u16")).isEqualTo(65_000);
    assertThat(metadata.f32("t.f64")).isEqualTo(0.1f);
    assertThat(metadata.ints("t.ints")).containsExactly(1, -2, 3);
    assertThat(metadata.strings("t.strings")).containsExactly("one", "", "three");
    assertThat(metadata.string("t.string")).isEqualTo("Zoë 🙂");
  }

  @Test
  void fallbacksServeForMissingKeysOnly() {
    assertThat(metadata.u32("none", 5)).isEqualTo(5);
    assertThat(metadata.f32("none", 2f)).isEqualTo(2f);
    assertThat(metadata.bool("none", true)).isTrue();
    assertThat(metadata.optionalString("none")).isEmpty();
    assertThat(metadata.u32("t.u8", 5)).isEqualTo(200);
    assertThat(metadata.f32("t.f32", 2f)).isEqualTo(1.5f);
    assertThat(metadata.bool("t.bool", false)).isTrue();
    assertThat(metadata.optionalString("t.string")).contains("Zoë 🙂");
    assertThatThrownBy(() -> metadata.u32("t.string", 5)).isInstanceOf(GgufException.class);
    assertThatThrownBy(() -> metadata.f32("t.u8", 5)).isInstanceOf(GgufException.class);
    assertThatThrownBy(() -> metadata.bool("t.u8", true)).isInstanceOf(GgufException.class);
    assertThatThrownBy(() -> metadata.optionalString("t.u8")).isInstanceOf(GgufException.class);
  }

  @Test
  void aMissingKeyIsNamed() {
    assertThatThrownBy(() -> metadata.string("llama.block_count"))
        .isInstanceOf(GgufException.class)
        .hasMessage("test.gguf: there is no metadata key \"llama.block_count\" among its 16");
  }

  @Test
  void anotherTypeIsNamedWithBothTypes() {
    assertThatThrownBy(() -> metadata.u32("t.string"))
        .isInstanceOf(GgufException.class)
        .hasMessageContaining("expected metadata \"t.string\" to be an integer, found STRING");
    assertThatThrownBy(() -> metadata.strings("t.ints"))
        .isInstanceOf(GgufException.class)
        .hasMessageContaining("to be ARRAY of STRING, found ARRAY of INT32");
    assertThatThrownBy(() -> metadata.ints("t.strings"))
        .isInstanceOf(GgufException.class)
        .hasMessageContaining("to be ARRAY of integers, found ARRAY of STRING");
    assertThatThrownBy(() -> metadata.strings("t.u8"))
        .isInstanceOf(GgufException.class)
        .hasMessageContaining("to be ARRAY of STRING, found UINT8");
  }

  @Test
  void integersOutsideTheRangeAreRefusedWithTheirValue() {
    assertThatThrownBy(() -> metadata.u32("t.i8"))
        .isInstanceOf(GgufException.class)
        .hasMessageContaining("expected metadata \"t.i8\" from 0 to 2147483647, found -3");
    assertThatThrownBy(() -> metadata.u32("t.u32"))
        .isInstanceOf(GgufException.class)
        .hasMessageContaining("found 4000000000");
    assertThatThrownBy(() -> metadata.u32("t.u64"))
        .isInstanceOf(GgufException.class)
        .hasMessageContaining("found 18446744073709551615");
  }

  @Test
  void versionTwoReadsTheSame() {
    GgufFile file =
        GgufSamples.parse(new GgufWriter(2, 32).string("general.name", "old").toArray());
    assertThat(file.version()).isEqualTo(2);
    assertThat(file.metadata().string("general.name")).isEqualTo("old");
    assertThat(file.tensors()).isEmpty();
  }
}
