package dev.reprise.llama.gguf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GgufModelFilesTest {
  private static final ValueLayout.OfFloat F32 =
      ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfShort I16 =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  @TempDir Path folder;

  @Test
  void readsTheModelsMetadata() {
    try (GgufFile file =
        GgufFile.openResource(GgufModelFilesTest.class, GgufSamples.F32_RESOURCE)) {
      GgufMetadata metadata = file.metadata();
      assertThat(file.version()).isEqualTo(3);
      assertThat(metadata.string("general.architecture")).isEqualTo("llama");
      assertThat(metadata.string("general.name")).isEqualTo("Tiny Stories");
      assertThat(metadata.u32("llama.block_count")).isEqualTo(5);
      assertThat(metadata.u32("llama.attention.head_count_kv")).isEqualTo(2);
      assertThat(metadata.f32("llama.attention.layer_norm_rms_epsilon")).isEqualTo(1e-5f);
      assertThat(metadata.strings("tokenizer.ggml.tokens"))
          .hasSize(1024)
          .startsWith("<|bos|>", "<|eos|>", "!");
      assertThat(metadata.bool("tokenizer.ggml.add_bos_token", false)).isTrue();
      assertThat(file.parameters()).isEqualTo(1_115_520);
    }
  }

  @Test
  void readsTheModelsTensorsInTheirOrder() {
    try (GgufFile file =
        GgufFile.openResource(GgufModelFilesTest.class, GgufSamples.F32_RESOURCE)) {
      assertThat(file.tensors()).hasSize(2 + 9 * 5);
      assertThat(file.tensors().getFirst().name()).isEqualTo("token_embd.weight");
      GgufTensor embedding = file.tensor("token_embd.weight");
      assertThat(embedding.dims()).containsExactly(128, 1024);
      assertThat(embedding.dim(3)).isEqualTo(1);
      assertThat(embedding.data().byteSize()).isEqualTo(128 * 1024 * 4);
      assertThat(file.tensor("blk.4.attn_k.weight").shape()).isEqualTo("[128, 64]");
    }
  }

  @Test
  void halvesAreTheFloatsRounded() {
    try (GgufFile floats =
            GgufFile.openResource(GgufModelFilesTest.class, GgufSamples.F32_RESOURCE);
        GgufFile halves =
            GgufFile.openResource(GgufModelFilesTest.class, GgufSamples.F16_RESOURCE)) {
      for (GgufTensor half : halves.tensors()) {
        GgufTensor wide = floats.tensor(half.name());
        assertThat(half.dims()).as(half.name()).isEqualTo(wide.dims());
        assertThat(half.type())
            .isEqualTo(half.rank() == 1 ? GgufTensorType.F32 : GgufTensorType.F16);
        for (long i = 0; half.type() == GgufTensorType.F16 && i < half.elements(); i++) {
          short expected = Float.floatToFloat16(wide.data().get(F32, i * 4));
          if (half.data().get(I16, i * 2) != expected) {
            assertThat(half.data().get(I16, i * 2)).as(half.name() + " " + i).isEqualTo(expected);
          }
        }
      }
    }
  }

  @Test
  void mappingCopyingAndStreamingGiveTheSameFile() throws Exception {
    byte[] bytes = resource();
    Path path = Files.write(folder.resolve("model.gguf"), bytes);
    String expected = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    try (GgufFile mapped = GgufFile.open(path);
        GgufFile copied =
            GgufFile.openResource(GgufModelFilesTest.class, GgufSamples.F32_RESOURCE);
        InputStream in = Files.newInputStream(path);
        GgufFile streamed = GgufFile.read(in, "stream")) {
      assertThat(mapped.size()).isEqualTo(bytes.length);
      assertThat(mapped.digest()).isEqualTo(expected);
      assertThat(copied.digest()).isEqualTo(expected);
      assertThat(streamed.digest()).isEqualTo(expected);
      for (GgufTensor tensor : mapped.tensors()) {
        assertThat(tensor.data().mismatch(copied.tensor(tensor.name()).data()))
            .as(tensor.name())
            .isEqualTo(-1);
      }
    }
  }

  @Test
  void tensorsAreReadOnly() {
    try (GgufFile file =
        GgufFile.openResource(GgufModelFilesTest.class, GgufSamples.F32_RESOURCE)) {
      assertThat(file.tensor("output_norm.weight").data().isReadOnly()).isTrue();
    }
  }

  @Test
  void nothingCanBeReadAfterClosing() {
    GgufFile file = GgufFile.openResource(GgufModelFilesTest.class, GgufSamples.F32_RESOURCE);
    GgufTensor tensor = file.tensor("output_norm.weight");
    file.close();
    file.close();
    assertThatThrownBy(() -> tensor.data().get(F32, 0)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> file.metadata().string("general.name"))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(file::digest).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void whatIsNoFileIsNamed() {
    Path missing = folder.resolve("missing.gguf");
    assertThatThrownBy(() -> GgufFile.open(missing))
        .isInstanceOf(GgufException.class)
        .hasMessage(missing + ": there is no such file");
    assertThatThrownBy(() -> GgufFile.open(folder))
        .isInstanceOf(GgufException.class)
        .hasMessage(folder + ": this is not a regular file");
    assertThatThrownBy(() -> GgufFile.openResource(GgufModelFilesTest.class, "nothing.gguf"))
        .isInstanceOf(GgufException.class)
        .hasMessageContaining("nothing.gguf: there is no such resource beside");
  }

  @Test
  void aFailingStreamIsAGgufException() {
    InputStream failing =
        new InputStream() {
          @Override
          public int read() throws IOException {
            throw new IOException("the disk is gone");
          }
        };
    assertThatThrownBy(() -> GgufFile.read(failing, "broken"))
        .isInstanceOf(GgufException.class)
        .hasMessage("broken: cannot read it: the disk is gone")
        .hasCauseInstanceOf(IOException.class);
  }

  private static byte[] resource() {
    try (InputStream in = GgufModelFilesTest.class.getResourceAsStream(GgufSamples.F32_RESOURCE)) {
      return Objects.requireNonNull(in).readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
