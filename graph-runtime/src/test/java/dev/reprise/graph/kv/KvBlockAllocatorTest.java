package dev.reprise.graph.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class KvBlockAllocatorTest {

  private final KvBlockAllocator allocator = new KvBlockAllocator(4);

  @Test
  void theNullBlockIsNeverHandedOut() {
    for (int i = 0; i < 3; i++) {
      assertThat(KvBlockAllocator.id(allocator.allocate())).isNotEqualTo(0);
    }
    assertThat(allocator.freeBlocks()).isZero();
    assertThatThrownBy(allocator::allocate)
        .isInstanceOf(KvExhaustedException.class)
        .hasMessageContaining("All 3 KV blocks are in use");
  }

  @Test
  void aFreedBlockIsRefusedAlsoAfterItsIdIsUsedAgain() {
    long block = allocator.allocate();
    allocator.release(block);
    assertThatThrownBy(() -> allocator.check(block))
        .isInstanceOf(FreedBlockException.class)
        .hasMessageContaining("it is free now");
    long again = allocator.allocate();
    assertThat(KvBlockAllocator.id(again)).isEqualTo(KvBlockAllocator.id(block));
    assertThatThrownBy(() -> allocator.check(block))
        .isInstanceOf(FreedBlockException.class)
        .hasMessageContaining("in use again as generation 1");
    allocator.check(again);
  }

  @Test
  void aSecondReleaseIsRefusedAndFreesNothing() {
    long block = allocator.allocate();
    allocator.release(block);
    int free = allocator.freeBlocks();
    assertThatThrownBy(() -> allocator.release(block)).isInstanceOf(FreedBlockException.class);
    assertThat(allocator.freeBlocks()).isEqualTo(free);
  }

  @Test
  void aSharedBlockStaysUntilItsLastReference() {
    long block = allocator.allocate();
    allocator.retain(block);
    allocator.release(block);
    assertThat(allocator.references(block)).isEqualTo(1);
    assertThat(allocator.freedCount()).isZero();
    allocator.release(block);
    assertThat(allocator.freedCount()).isEqualTo(1);
  }

  @Test
  void randomTrafficNeverSharesABlockByAccident() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    KvBlockAllocator pool = new KvBlockAllocator(33);
    List<Long> held = new ArrayList<>();
    Map<Integer, Long> owners = new HashMap<>();
    for (int step = 0; step < 20_000; step++) {
      if (pool.freeBlocks() > 0 && (held.isEmpty() || random.nextBoolean())) {
        long block = pool.allocate();
        assertThat(owners.put(KvBlockAllocator.id(block), block)).as("seed %d", seed).isNull();
        held.add(block);
      } else {
        long block = held.remove(random.nextInt(held.size()));
        owners.remove(KvBlockAllocator.id(block));
        pool.release(block);
      }
      assertThat(pool.freeBlocks() + held.size()).as("seed %d", seed).isEqualTo(32);
    }
  }
}
