package dev.reprise.graph.kv;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Full blocks by what they hold: a chain for each namespace, one link a block, found by the hash of
 * all tokens up to its end.
 *
 * <p>A hash only finds a candidate. Tokens and predecessor are compared as well, so that equal
 * hashes never mix up two prefixes; a link has an identity that is never used again, so that a
 * block which was forgotten and cached anew is no predecessor of what followed it before. The
 * structure is that of vLLM's automatic prefix caching (Kwon et al., 2023); the comparison is not.
 *
 * <p>Blocks are named by their ids; 0, the null block, stands for none. Caching allocates nothing.
 */
final class PrefixCache {

  /** A place in a chain: behind a link, or at the beginning of a namespace. */
  static final class Place {
    private long link;
    private long hash;

    void set(Place other) {
      link = other.link;
      hash = other.hash;
    }
  }

  private static final int NONE = KvBlockAllocator.NULL_BLOCK;

  private final int blockSize;
  private final Map<String, Place> roots = new HashMap<>();
  private final HashIndex byHash;
  private long links;

  // By block.
  private final long[] handle;
  private final long[] link;
  private final long[] parent;
  private final long[] hash;
  private final int[] tokens;
  private final boolean[] unused;
  private final int[] older;
  private final int[] newer;

  private int oldest = NONE;
  private int newest = NONE;
  private int unusedCount;

  PrefixCache(int blocks, int blockSize) {
    this.blockSize = blockSize;
    this.byHash = new HashIndex(blocks);
    handle = new long[blocks];
    link = new long[blocks];
    parent = new long[blocks];
    hash = new long[blocks];
    tokens = new int[Math.multiplyExact(blocks, blockSize)];
    unused = new boolean[blocks];
    older = new int[blocks];
    newer = new int[blocks];
  }

  /** Goes to the beginning of a namespace. */
  void begin(Place place, String namespace) {
    place.set(roots.computeIfAbsent(namespace, this::root));
  }

  private Place root(String namespace) {
    Place root = new Place();
    root.link = ++links;
    root.hash = namespace.hashCode() * 0x9E3779B97F4A7C15L;
    return root;
  }

  /** Under which hash the block with the next tokens after a place is found. */
  long hash(Place place, int[] next, int from) {
    long value = place.hash;
    for (int i = from; i < from + blockSize; i++) {
      value = mix(value ^ next[i]);
    }
    return value;
  }

  /** The finaliser of SplitMix64 (Steele et al., 2014), after a step of its sequence. */
  private static long mix(long value) {
    long z = value + 0x9E3779B97F4A7C15L;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }

  /**
   * The block that holds the next tokens after a place.
   *
   * @param at their {@link #hash}
   */
  int find(Place place, long at, int[] next, int from) {
    int block = byHash.get(at);
    int own = block * blockSize;
    return block != NONE
            && parent[block] == place.link
            && Arrays.equals(tokens, own, own + blockSize, next, from, from + blockSize)
        ? block
        : NONE;
  }

  /** The block under a hash, whatever it holds. */
  int inTheWay(long at) {
    return byHash.get(at);
  }

  /** Goes on behind a cached block. */
  void pass(Place place, int block) {
    place.link = link[block];
    place.hash = hash[block];
  }

  /** Caches a block with the next tokens after a place, under a hash that has none. */
  void add(Place place, long at, int[] next, int from, long block) {
    int id = KvBlockAllocator.id(block);
    byHash.put(at, id);
    handle[id] = block;
    link[id] = ++links;
    parent[id] = place.link;
    hash[id] = at;
    System.arraycopy(next, from, tokens, id * blockSize, blockSize);
  }

  /** Takes a block out. */
  void remove(int block) {
    byHash.remove(hash[block], block);
    link[block] = 0;
    unlink(block);
  }

  /** A cached block, with its generation. */
  long handle(int block) {
    return handle[block];
  }

  /** A block is held by a sequence again. */
  void used(int block) {
    unlink(block);
  }

  /** A block is held by no sequence any more. */
  void unused(int block) {
    if (link[block] == 0 || unused[block]) {
      return;
    }
    unused[block] = true;
    older[block] = newest;
    newer[block] = NONE;
    if (newest != NONE) {
      newer[newest] = block;
    } else {
      oldest = block;
    }
    newest = block;
    unusedCount++;
  }

  private void unlink(int block) {
    if (!unused[block]) {
      return;
    }
    int before = older[block];
    int after = newer[block];
    if (before != NONE) {
      newer[before] = after;
    } else {
      oldest = after;
    }
    if (after != NONE) {
      older[after] = before;
    } else {
      newest = before;
    }
    unused[block] = false;
    unusedCount--;
  }

  /** The cached block that no sequence has held for longest. */
  int oldestUnused() {
    return oldest;
  }

  int unusedCount() {
    return unusedCount;
  }

  int size() {
    return byHash.size();
  }
}
