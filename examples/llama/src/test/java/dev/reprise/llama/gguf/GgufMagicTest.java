package dev.reprise.llama.gguf;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GgufMagicTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "lmgg rest of it | a GGML file of a format before GGUF",
        "tjgg rest of it | a GGML file of a format before GGUF",
        "version https://git-lfs.github.com/spec/v1 | a Git LFS pointer",
        "PK\u0003\u0004 and more | perhaps a PyTorch checkpoint",
        "12345678{\"__metadata__\" | what looks like a safetensors file",
        "<!DOCTYPE html> | found \"<!DO\" in a file of",
        "GG | found \"GG\" in a file of 2 bytes",
      })
  void otherFilesAreCalledWhatTheyAre(String start, String message) {
    refused(new GgufBytes().text(start), "expected a GGUF file, which begins with \"GGUF\"");
    refused(new GgufBytes().text(start), message);
  }

  @Test
  void anEmptyFileIsCalledEmpty() {
    refused(new GgufBytes(), "found an empty file");
  }

  @ParameterizedTest
  @CsvSource({
    "1,'version 1, which is out of use'",
    "0,version 0",
    "4,version 4",
    "-1,version 4294967295"
  })
  void otherVersionsAreNamed(int version, String message) {
    refused(
        new GgufBytes().text("GGUF").u32(version).u64(0).u64(0),
        "expected GGUF version 2 or 3, found " + message);
  }

  @Test
  void bigEndianFilesAreNamed() {
    String message = "expected a little-endian GGUF file, found a big-endian one";
    refused(new GgufBytes().text("GGUF").u32(3 << 24).u64(0).u64(0), message);
    refused(new GgufBytes().text("FUGG").u32(3 << 24).u64(0).u64(0), message);
  }

  private static void refused(GgufBytes file, String message) {
    assertThatThrownBy(() -> GgufSamples.parse(file.toArray()))
        .isInstanceOf(GgufException.class)
        .hasMessageStartingWith("test.gguf: at byte ")
        .hasMessageContaining(message);
  }
}
