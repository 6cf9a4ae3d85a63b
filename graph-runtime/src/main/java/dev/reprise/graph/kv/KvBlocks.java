package dev.reprise.graph.kv;

/**
 * The blocks of a pool, each of them free, held by sequences, or cached for sequences with the same
 * prefix to come. A cached block that no sequence holds counts as {@link #available}: it is freed,
 * the one unused for longest first, when no other is left.
 *
 * <p>Not thread-safe: one thread owns a pool. Host-side only; memory follows through {@link
 * BlockMemory}.
 */
public final class KvBlocks {

  private final KvLayout layout;
  private final KvBlockAllocator allocator;
  private final BlockMemory memory;
  private final PrefixCache cache;
  private long copies;

  /**
   * @param blocks how many blocks there are, the null block included
   */
  public KvBlocks(KvLayout layout, int blocks, BlockMemory memory) {
    this(layout, blocks, blocks, memory);
  }

  /**
   * @param blocks how many blocks there are, the null block included
   * @param mostBlocks how many there can be
   */
  public KvBlocks(KvLayout layout, int blocks, int mostBlocks, BlockMemory memory) {
    this.layout = layout;
    this.allocator = new KvBlockAllocator(blocks, mostBlocks);
    this.memory = memory;
    this.cache = new PrefixCache(mostBlocks, layout.blockSize());
  }

  /**
   * A sequence without blocks.
   *
   * @param owner who uses it, for messages
   */
  public KvSequence newSequence(String owner) {
    return newSequence(owner, 0);
  }

  /**
   * A sequence without blocks.
   *
   * @param owner who uses it, for messages
   * @param expected how many blocks it is going to have; beyond that it allocates on the Java heap
   */
  public KvSequence newSequence(String owner, int expected) {
    return new KvSequence(this, owner, expected);
  }

  /**
   * Takes a block, with one reference: a free one, else the cached one unused for longest.
   *
   * @throws KvExhaustedException if sequences hold all blocks
   */
  long allocate() {
    if (allocator.freeBlocks() == 0) {
      int oldest = cache.oldestUnused();
      if (oldest != KvBlockAllocator.NULL_BLOCK) {
        forget(oldest);
      }
    }
    return allocator.allocate();
  }

  /** Adds a reference to a live block. */
  void retain(long block) {
    allocator.retain(block);
    cache.used(KvBlockAllocator.id(block));
  }

  /** Gives one reference back. A cached block without others stays, as available. */
  void release(long block) {
    long freedBefore = allocator.freedCount();
    allocator.release(block);
    if (allocator.freedCount() != freedBefore) {
      memory.freed(KvBlockAllocator.id(block));
    } else if (allocator.references(block) == 1) {
      cache.unused(KvBlockAllocator.id(block));
    }
  }

  /** Whether a write to the block would be seen by anyone but its one holder. */
  boolean shared(long block) {
    return allocator.references(block) > 1;
  }

  /** A block of one's own with the contents of a shared one, whose reference is given back. */
  long copyOf(long block) {
    long own = allocate();
    memory.copy(KvBlockAllocator.id(block), KvBlockAllocator.id(own));
    copies++;
    release(block);
    return own;
  }

  /** Goes to where the chains of a namespace begin. */
  void begin(PrefixCache.Place place, String namespace) {
    cache.begin(place, namespace);
  }

  /**
   * Takes the cached block that holds the next tokens after a place, with one reference, and goes
   * on behind it.
   *
   * @return the block; the null block if there is none
   */
  long adopt(PrefixCache.Place place, int[] tokens, int from) {
    int found = cache.find(place, cache.hash(place, tokens, from), tokens, from);
    if (found == KvBlockAllocator.NULL_BLOCK) {
      return KvBlockAllocator.NULL_BLOCK;
    }
    cache.pass(place, found);
    long block = cache.handle(found);
    retain(block);
    return block;
  }

  /**
   * Caches a full block whose keys and values are computed, unless another one holds the same, and
   * goes on behind the one that is cached.
   */
  void cache(PrefixCache.Place place, int[] tokens, int from, long block) {
    long hash = cache.hash(place, tokens, from);
    int known = cache.find(place, hash, tokens, from);
    if (known == KvBlockAllocator.NULL_BLOCK) {
      int displaced = cache.inTheWay(hash);
      if (displaced != KvBlockAllocator.NULL_BLOCK) {
        forget(displaced);
      }
      allocator.retain(block);
      cache.add(place, hash, tokens, from, block);
      known = KvBlockAllocator.id(block);
    }
    cache.pass(place, known);
  }

  private void forget(int cached) {
    cache.remove(cached);
    release(cache.handle(cached));
  }

  /** Frees every cached block that no sequence holds. */
  public void dropUnused() {
    while (cache.unusedCount() > 0) {
      forget(cache.oldestUnused());
    }
  }

  /**
   * Takes more memory, so that more blocks are {@link #available}.
   *
   * @param wanted how many more
   * @return how many more there are: fewer, or none, if there can be no more or memory is short
   */
  public int grow(int wanted) {
    int before = allocator.blocks();
    int most = (int) Math.min((long) before + wanted, allocator.mostBlocks());
    if (most > before) {
      int now = memory.grow(before, most);
      if (now > before) {
        allocator.grow(now);
      }
    }
    return allocator.blocks() - before;
  }

  /**
   * How many blocks, the null block included, the pool needs to have if cached ones that no
   * sequence holds are freed, which they are.
   */
  int drop() {
    dropUnused();
    return allocator.blocksInUse();
  }

  /** How blocks lie in memory. */
  public KvLayout layout() {
    return layout;
  }

  /** Who holds which block. */
  public KvBlockAllocator allocator() {
    return allocator;
  }

  /** Blocks that can be taken: free ones and cached ones that no sequence holds. */
  public int available() {
    return allocator.freeBlocks() + cache.unusedCount();
  }

  /** Blocks that sequences can have now: all but the null block. */
  public int capacity() {
    return allocator.blocks() - 1;
  }

  /** Blocks that sequences can have once the pool has grown as far as it may. */
  public int mostCapacity() {
    return allocator.mostBlocks() - 1;
  }

  /** Blocks that are cached, held by sequences or not. */
  public int cached() {
    return cache.size();
  }

  /** How many shared blocks were copied because they were about to be written. */
  public long copies() {
    return copies;
  }
}
