package dev.reprise.llama.tokenizer;

import java.util.SplittableRandom;

/**
 * Seeded text that mixes words, digits, spaces of all kinds, scripts and emoji; no unpaired
 * surrogates.
 */
final class RandomText {
  private static final String[] PARTS = {
    " ",
    "  ",
    "\n",
    "\r\n",
    "\t",
    "\u00a0",
    "\u2003",
    "\u3000",
    "'",
    "'s",
    "'ll",
    "'RE",
    "it's",
    "Once",
    "upon",
    "time",
    "7",
    "42",
    "½",
    "Ⅷ",
    "٣",
    "é",
    "e\u0301",
    "ß",
    "ǅ",
    "日本",
    "текст",
    "עברית",
    "🙂",
    "👍🏽",
    "👩‍👩‍👧",
    "\uFFFD",
    "\uFEFF",
    "\0",
    "!",
    "...",
    "\"",
    "<|eos|>",
    "_",
    "\u0085",
    "\u180e",
    "\u200b",
    "\u001c",
  };

  private RandomText() {}

  static String next(SplittableRandom random) {
    StringBuilder out = new StringBuilder();
    int parts = random.nextInt(30);
    for (int i = 0; i < parts; i++) {
      if (random.nextInt(4) == 0) {
        out.appendCodePoint(codePoint(random));
      } else {
        out.append(PARTS[random.nextInt(PARTS.length)]);
      }
    }
    return out.toString();
  }

  private static int codePoint(SplittableRandom random) {
    int bound = new int[] {0x80, 0x800, 0x10000, 0x110000}[random.nextInt(4)];
    int c = random.nextInt(bound);
    return c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE ? 'x' : c;
  }
}
