package dev.reprise.graph.decode;

/** Is told each generated token on the thread that decodes. */
@FunctionalInterface
public interface TokenListener {

  /**
   * @param token the id of the token
   * @return whether to go on
   */
  boolean onToken(int token);
}
