package dev.reprise.graph.kv;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Full blocks by what they hold: a chain of nodes for each namespace, one node a block, found by
 * the hash of all tokens up to its end.
 *
 * <p>A hash only finds a candidate. Tokens and predecessor are compared as well, so that equal
 * hashes never mix up two prefixes. The structure is that of vLLM's automatic prefix caching (Kwon
 * et al., 2023); the comparison is not.
 */
final class PrefixCache {

  /** A full block and the chain of blocks before it. */
  static final class Node {

    private final @Nullable Node parent;
    private final long hash;
    private final int[] tokens;
    private final long block;
    private @Nullable Node older;
    private @Nullable Node newer;
    private boolean unused;

    Node(@Nullable Node parent, long hash, int[] tokens, long block) {
      this.parent = parent;
      this.hash = hash;
      this.tokens = tokens;
      this.block = block;
    }

    long block() {
      return block;
    }
  }

  private final int blockSize;
  private final Map<String, Node> roots = new HashMap<>();
  private final Map<Long, Node> byHash = new HashMap<>();
  private final @Nullable Node[] byBlock;
  private @Nullable Node oldest;
  private @Nullable Node newest;
  private int unusedCount;

  PrefixCache(int blocks, int blockSize) {
    this.blockSize = blockSize;
    this.byBlock = new @Nullable Node[blocks];
  }

  Node root(String namespace) {
    return roots.computeIfAbsent(
        namespace, name -> new Node(null, name.hashCode() * 0x9E3779B97F4A7C15L, new int[0], 0));
  }

  @Nullable Node find(Node parent, int[] tokens, int from) {
    Node node = inTheWay(parent, tokens, from);
    return node != null
            && node.parent == parent
            && Arrays.equals(node.tokens, 0, blockSize, tokens, from, from + blockSize)
        ? node
        : null;
  }

  /** The node under the hash of these tokens, whatever it holds. */
  @Nullable Node inTheWay(Node parent, int[] tokens, int from) {
    return byHash.get(hash(parent, tokens, from));
  }

  Node add(Node parent, int[] tokens, int from, long block) {
    long hash = hash(parent, tokens, from);
    Node node = new Node(parent, hash, Arrays.copyOfRange(tokens, from, from + blockSize), block);
    byHash.put(hash, node);
    byBlock[KvBlockAllocator.id(block)] = node;
    return node;
  }

  void remove(Node node) {
    byHash.remove(node.hash, node);
    byBlock[KvBlockAllocator.id(node.block)] = null;
    unlink(node);
  }

  /** A block is held by a sequence again. */
  void used(int block) {
    Node node = byBlock[block];
    if (node != null) {
      unlink(node);
    }
  }

  /** A block is held by no sequence any more. */
  void unused(int block) {
    Node node = byBlock[block];
    if (node == null || node.unused) {
      return;
    }
    node.unused = true;
    node.older = newest;
    if (newest != null) {
      newest.newer = node;
    } else {
      oldest = node;
    }
    newest = node;
    unusedCount++;
  }

  private void unlink(Node node) {
    if (!node.unused) {
      return;
    }
    Node older = node.older;
    Node newer = node.newer;
    if (older != null) {
      older.newer = newer;
    } else {
      oldest = newer;
    }
    if (newer != null) {
      newer.older = older;
    } else {
      newest = older;
    }
    node.older = null;
    node.newer = null;
    node.unused = false;
    unusedCount--;
  }

  @Nullable Node oldestUnused() {
    return oldest;
  }

  int unusedCount() {
    return unusedCount;
  }

  int size() {
    return byHash.size();
  }

  private long hash(Node parent, int[] tokens, int from) {
    long hash = parent.hash;
    for (int i = from; i < from + blockSize; i++) {
      hash = mix(hash ^ tokens[i]);
    }
    return hash;
  }

  /** The finaliser of SplitMix64 (Steele et al., 2014), after a step of its sequence. */
  private static long mix(long value) {
    long z = value + 0x9E3779B97F4A7C15L;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }
}
