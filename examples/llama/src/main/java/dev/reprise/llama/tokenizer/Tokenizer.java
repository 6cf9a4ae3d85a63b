package dev.reprise.llama.tokenizer;

import dev.reprise.llama.gguf.GgufFile;
import dev.reprise.llama.gguf.GgufMetadata;
import dev.reprise.llama.text.Quote;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Byte-level byte-pair encoding as GPT-2 does it ({@code tokenizer.ggml.model} "gpt2", {@code
 * tokenizer.ggml.pre} "gpt-2"). Immutable and thread-safe; the file may be closed afterwards.
 *
 * <p>Every text can be encoded, and decoding gives the same text again. The one exception is an
 * unpaired surrogate, which is no character: it is encoded as U+FFFD, the replacement character.
 * Text never gives a special token: the characters {@code <|eos|>} in a prompt are encoded as
 * characters.
 */
public final class Tokenizer {
  private final Vocabulary vocabulary;
  private final MergeTable merges;
  private final boolean addsBos;

  private Tokenizer(Vocabulary vocabulary, MergeTable merges, boolean addsBos) {
    this.vocabulary = vocabulary;
    this.merges = merges;
    this.addsBos = addsBos;
  }

  /**
   * The tokenizer of a model file.
   *
   * @throws TokenizerException when the metadata defines another kind of tokenizer, or contradicts
   *     itself
   * @throws dev.reprise.llama.gguf.GgufException when a key is missing or has the wrong type
   */
  public static Tokenizer from(GgufFile file) {
    GgufMetadata metadata = file.metadata();
    require(file, "tokenizer.ggml.model", "gpt2");
    require(file, "tokenizer.ggml.pre", "gpt-2");
    Vocabulary vocabulary = Vocabulary.from(file);
    return new Tokenizer(
        vocabulary,
        MergeTable.from(file, vocabulary),
        metadata.bool("tokenizer.ggml.add_bos_token", false));
  }

  private static void require(GgufFile file, String key, String supported) {
    String value = file.metadata().string(key);
    if (!value.equals(supported)) {
      throw new TokenizerException(
          file.name(),
          key + " is " + Quote.quote(value) + ", supported: " + Quote.quote(supported));
    }
  }

  /**
   * The token ids of a text, in O(n log n) time for n characters.
   *
   * @param bos whether the first id is {@link #bos()}
   */
  public int[] encode(String text, boolean bos) {
    IntList out = new IntList();
    if (bos) {
      out.add(vocabulary.bos());
    }
    BytePairMerger merger = new BytePairMerger(merges);
    for (int start = 0; start < text.length(); ) {
      int end = PreTokenizer.end(text, start);
      addBytes(text, start, end, merger);
      merger.mergeInto(out);
      start = end;
    }
    return out.toArray();
  }

  /**
   * The text of token ids. Special tokens give nothing, and bytes that are no UTF-8 give U+FFFD.
   */
  public String decode(int... ids) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int id : ids) {
      bytes.writeBytes(vocabulary.bytes(id));
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }

  /** A decoder for ids that come one at a time. */
  public StreamingDecoder streamingDecoder() {
    return new StreamingDecoder(vocabulary);
  }

  /** The id that begins a text. */
  public int bos() {
    return vocabulary.bos();
  }

  /** The id that ends a text. */
  public int eos() {
    return vocabulary.eos();
  }

  /** Whether the model wants its prompts to begin with {@link #bos()}. */
  public boolean addsBos() {
    return addsBos;
  }

  /** The number of tokens; ids are below it. */
  public int size() {
    return vocabulary.size();
  }

  /**
   * Whether a token stands for no text: a control token, an unknown or unused one, or one of {@link
   * #bos} and {@link #eos}.
   */
  public boolean isSpecial(int id) {
    return vocabulary.isSpecial(id);
  }

  private void addBytes(String text, int start, int end, BytePairMerger merger) {
    for (int at = start; at < end; ) {
      int c = text.codePointAt(at);
      at += Character.charCount(c);
      if (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE) {
        c = 0xfffd;
      }
      if (c < 0x80) {
        merger.add(vocabulary.byteToken(c));
      } else if (c < 0x800) {
        merger.add(vocabulary.byteToken(0xc0 | c >> 6));
        addTail(c, 0, merger);
      } else if (c < 0x10000) {
        merger.add(vocabulary.byteToken(0xe0 | c >> 12));
        addTail(c, 6, merger);
      } else {
        merger.add(vocabulary.byteToken(0xf0 | c >> 18));
        addTail(c, 12, merger);
      }
    }
  }

  private void addTail(int c, int shift, BytePairMerger merger) {
    for (int s = shift; s >= 0; s -= 6) {
      merger.add(vocabulary.byteToken(0x80 | (c >> s & 0x3f)));
    }
  }
}
