package dev.reprise.llama.gguf;

import dev.reprise.llama.text.Quote;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/**
 * Decides whether a file is a GGUF file of a version and byte order that can be read, and says what
 * it is otherwise.
 */
final class GgufMagic {
  private static final String MAGIC = "GGUF";

  private GgufMagic() {}

  static void check(MemorySegment bytes, String file) {
    String start = start(bytes);
    if (start.startsWith("FUGG")) {
      throw bigEndian(file);
    }
    if (!start.startsWith(MAGIC)) {
      throw GgufException.at(
          file, 0, "a GGUF file, which begins with \"GGUF\"", describe(bytes, start));
    }
    if (bytes.byteSize() < 8) {
      throw GgufException.at(
          file, 4, "the version of 4 bytes", "the end of the file after " + (bytes.byteSize() - 4));
    }
    int version = new GgufCursor(bytes, file, 4, 8).i32("the version");
    if ((version & 0xffff) == 0 && version != 0) {
      throw bigEndian(file);
    }
    if (version == 1) {
      throw GgufException.at(
          file,
          4,
          "GGUF version 2 or 3",
          "version 1, which is out of use; convert the model again with a current tool");
    }
    if (version != 2 && version != 3) {
      throw GgufException.at(
          file, 4, "GGUF version 2 or 3", "version " + Integer.toUnsignedString(version));
    }
  }

  private static GgufException bigEndian(String file) {
    return GgufException.at(
        file,
        4,
        "a little-endian GGUF file",
        "a big-endian one; convert the model for little-endian machines");
  }

  private static String start(MemorySegment bytes) {
    byte[] copy = new byte[(int) Math.min(16, bytes.byteSize())];
    MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, 0, copy, 0, copy.length);
    return new String(copy, StandardCharsets.ISO_8859_1);
  }

  private static String describe(MemorySegment bytes, String start) {
    if (start.isEmpty()) {
      return "an empty file";
    }
    if (start.startsWith("lmgg") || start.startsWith("fmgg") || start.startsWith("tjgg")) {
      return "a GGML file of a format before GGUF; convert the model again with a current tool";
    }
    if (start.startsWith("version https://")) {
      return "a Git LFS pointer; fetch the file itself with \"git lfs pull\"";
    }
    if (start.startsWith("PK\3\4")) {
      return "a ZIP archive, perhaps a PyTorch checkpoint; convert the model to GGUF";
    }
    if (start.length() > 8 && start.charAt(8) == '{') {
      return "what looks like a safetensors file; convert the model to GGUF";
    }
    return Quote.quote(start.substring(0, Math.min(4, start.length())))
        + " in a file of "
        + bytes.byteSize()
        + " bytes";
  }
}
