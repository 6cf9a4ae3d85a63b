package dev.reprise.kernels.reference;

/**
 * Philox4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011).
 */
public final class Philox {

  private static final long M0 = 0xD2511F53L;
  private static final long M1 = 0xCD9E8D57L;
  private static final int W0 = 0x9E3779B9;
  private static final int W1 = 0xBB67AE85;

  private Philox() {}

  /** The block of four words for a counter of four words and a key of two. */
  public static int[] block(int[] counter, int[] key) {
    int[] c = counter.clone();
    int[] k = key.clone();
    for (int round = 0; round < 10; round++) {
      long product0 = M0 * Integer.toUnsignedLong(c[0]);
      long product1 = M1 * Integer.toUnsignedLong(c[2]);
      c =
          new int[] {
            (int) (product1 >>> 32) ^ c[1] ^ k[0],
            (int) product1,
            (int) (product0 >>> 32) ^ c[3] ^ k[1],
            (int) product0
          };
      k[0] += W0;
      k[1] += W1;
    }
    return c;
  }

  /** The 64 bits that a sampled token is drawn with. */
  public static long draw(long seed, int position) {
    int[] words = block(new int[] {position, 0, 0, 0}, new int[] {(int) seed, (int) (seed >>> 32)});
    return Integer.toUnsignedLong(words[1]) << 32 | Integer.toUnsignedLong(words[0]);
  }
}
