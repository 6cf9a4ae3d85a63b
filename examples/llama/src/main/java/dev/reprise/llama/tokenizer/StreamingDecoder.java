package dev.reprise.llama.tokenizer;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/**
 * Turns token ids that come one at a time into text. A character whose bytes lie in several tokens
 * comes out with the last of them, so that no half character is ever printed; joined, the texts are
 * what {@link Tokenizer#decode} gives for all ids at once. Not thread-safe.
 */
public final class StreamingDecoder {
  private static final int LONGEST_INCOMPLETE = 3;

  private final Vocabulary vocabulary;
  private final CharsetDecoder utf8 =
      StandardCharsets.UTF_8
          .newDecoder()
          .onMalformedInput(CodingErrorAction.REPLACE)
          .onUnmappableCharacter(CodingErrorAction.REPLACE);
  private final byte[] pending = new byte[LONGEST_INCOMPLETE];
  private int pendingBytes;

  StreamingDecoder(Vocabulary vocabulary) {
    this.vocabulary = vocabulary;
  }

  /** The text that is complete with this token: often a word, sometimes nothing. */
  public String accept(int id) {
    return decode(vocabulary.bytes(id), false);
  }

  /**
   * U+FFFD for what is left of a character that never became complete, else nothing. Then a new
   * text may begin.
   */
  public String finish() {
    String rest = decode(new byte[0], true);
    utf8.reset();
    return rest;
  }

  private String decode(byte[] more, boolean last) {
    ByteBuffer in = ByteBuffer.allocate(pendingBytes + more.length);
    in.put(pending, 0, pendingBytes).put(more).flip();
    // No byte gives more than one char.
    CharBuffer out = CharBuffer.allocate(in.remaining());
    utf8.decode(in, out, last);
    if (last) {
      utf8.flush(out);
    }
    pendingBytes = in.remaining();
    in.get(pending, 0, pendingBytes);
    return out.flip().toString();
  }
}
