package dev.reprise.llama.tokenizer;

import java.util.Arrays;

/**
 * The one-to-one map between bytes and printable characters in which byte-level vocabularies are
 * written (GPT-2): the printable characters of Latin-1 stand for themselves, and the 68 other
 * bytes, in order, for U+0100 and up.
 */
final class ByteAlphabet {
  private static final char[] CHARS = new char[256];
  private static final int[] BYTES = new int[512];

  static {
    Arrays.fill(BYTES, -1);
    int others = 0;
    for (int b = 0; b < CHARS.length; b++) {
      boolean printable = (b >= '!' && b <= '~') || (b >= 0xa1 && b != 0xad);
      CHARS[b] = (char) (printable ? b : 256 + others++);
      BYTES[CHARS[b]] = b;
    }
  }

  private ByteAlphabet() {}

  /** The character that stands for a byte from 0 to 255. */
  static char charOf(int value) {
    return CHARS[value];
  }

  /** The byte from 0 to 255 that a character stands for, or -1. */
  static int byteOf(char c) {
    return c < BYTES.length ? BYTES[c] : -1;
  }
}
