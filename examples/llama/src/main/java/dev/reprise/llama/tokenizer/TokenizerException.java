package dev.reprise.llama.tokenizer;

/**
 * The metadata of a file does not define a tokenizer that can be used. The message names the file,
 * the key and the token.
 */
public final class TokenizerException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  TokenizerException(String file, String problem) {
    super(file + ": " + problem);
  }
}
