package dev.reprise.llama.tokenizer;

import dev.reprise.llama.gguf.GgufFile;
import dev.reprise.llama.text.Quote;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The tokens of a file: their names, the bytes they stand for, and which of them are special. */
final class Vocabulary {
  private static final String TOKENS = "tokenizer.ggml.tokens";
  private static final String TYPES = "tokenizer.ggml.token_type";

  // The values of token_type (GGUF specification, "GGML vocabulary").
  private static final int NORMAL = 1;
  private static final int UNKNOWN = 2;
  private static final int CONTROL = 3;
  private static final int UNUSED = 5;

  private final String file;
  private final Map<String, Integer> ids = new HashMap<>();
  private final byte[][] bytes;
  private final boolean[] special;
  private final int[] byteTokens = new int[256];
  private final int bos;
  private final int eos;

  private Vocabulary(GgufFile gguf) {
    this.file = gguf.name();
    List<String> tokens = gguf.metadata().strings(TOKENS);
    int[] types = gguf.metadata().ints(TYPES);
    if (types.length != tokens.size()) {
      throw bad(TYPES + " has " + types.length + " elements for " + tokens.size() + " tokens");
    }
    this.bytes = new byte[types.length][];
    this.special = new boolean[types.length];
    for (int id = 0; id < types.length; id++) {
      add(id, tokens.get(id), types[id]);
    }
    this.bos = specialId(gguf, "tokenizer.ggml.bos_token_id");
    this.eos = specialId(gguf, "tokenizer.ggml.eos_token_id");
    for (int b = 0; b < byteTokens.length; b++) {
      String name = String.valueOf(ByteAlphabet.charOf(b));
      byteTokens[b] = id(name);
      if (byteTokens[b] < 0 || special[byteTokens[b]]) {
        throw bad(
            TOKENS
                + " has no plain token for the byte "
                + b
                + ", which is written \""
                + name
                + "\"");
      }
    }
  }

  static Vocabulary from(GgufFile file) {
    return new Vocabulary(file);
  }

  int size() {
    return bytes.length;
  }

  /** The id of a token, or -1. */
  int id(String token) {
    return ids.getOrDefault(token, -1);
  }

  /** The token of one byte from 0 to 255. */
  int byteToken(int value) {
    return byteTokens[value];
  }

  /** The bytes of a token; none for a special one. Not to be changed. */
  byte[] bytes(int id) {
    return bytes[checked(id)];
  }

  boolean isSpecial(int id) {
    return special[checked(id)];
  }

  int bos() {
    return bos;
  }

  int eos() {
    return eos;
  }

  private void add(int id, String token, int type) {
    Integer before = ids.putIfAbsent(token, id);
    if (before != null) {
      throw bad(TOKENS + " has " + Quote.quote(token) + " twice, as " + before + " and as " + id);
    }
    switch (type) {
      case NORMAL -> bytes[id] = byteLevel(id, token);
      case UNKNOWN, CONTROL, UNUSED -> {
        bytes[id] = new byte[0];
        special[id] = true;
      }
      default ->
          throw bad(
              TYPES
                  + "["
                  + id
                  + "], of the token "
                  + Quote.quote(token)
                  + ", is "
                  + type
                  + ", supported: 1 (normal), 2 (unknown), 3 (control), 5 (unused)");
    }
  }

  private byte[] byteLevel(int id, String token) {
    byte[] out = new byte[token.length()];
    for (int i = 0; i < out.length; i++) {
      int value = ByteAlphabet.byteOf(token.charAt(i));
      if (value < 0) {
        throw bad(
            TOKENS
                + "["
                + id
                + "] "
                + Quote.quote(token)
                + " has a character that stands for no byte, at index "
                + i);
      }
      out[i] = (byte) value;
    }
    if (out.length == 0) {
      throw bad(TOKENS + "[" + id + "] is empty");
    }
    return out;
  }

  private int specialId(GgufFile gguf, String key) {
    int id = gguf.metadata().u32(key);
    if (id >= bytes.length) {
      throw bad(key + " is " + id + ", and there are " + bytes.length + " tokens");
    }
    bytes[id] = new byte[0];
    special[id] = true;
    return id;
  }

  private int checked(int id) {
    if (id < 0 || id >= bytes.length) {
      throw new IllegalArgumentException(
          "token id " + id + " is outside 0 to " + (bytes.length - 1));
    }
    return id;
  }

  private TokenizerException bad(String problem) {
    return new TokenizerException(file, problem);
  }
}
