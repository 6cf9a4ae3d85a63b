package dev.reprise.softgpu.driver.sanitizer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Vector clocks over threads know what a table with an entry for each thread knows. */
class ThreadClockTest {

  private static final int WARPS = 3;
  private static final int LANES = 32;

  /** Numbers that take trees of different heights. */
  private static final int[] BLOCKS = {0, 1, 31, 32, 33, 1023, 1024, 40_000, Integer.MAX_VALUE};

  private record Thread(int block, int warp, int lane) {}

  private record Both(ThreadClock clock, Map<Thread, Long> table) {}

  private static Both random(Random random) {
    int block = BLOCKS[random.nextInt(BLOCKS.length)];
    Map<Thread, Long> table = new HashMap<>();
    long time = random.nextInt(50);
    if (random.nextInt(3) == 0) {
      put(table, block, -1, -1, time);
      return new Both(ThreadClock.of(block, BlockTimes.of(time)), table);
    }
    int warp = random.nextInt(WARPS);
    int lanes = random.nextBoolean() ? 1 << random.nextInt(LANES) : random.nextInt() | 1;
    put(table, block, warp, lanes, time);
    return new Both(ThreadClock.of(block, BlockTimes.of(warp, lanes, time)), table);
  }

  private static void put(Map<Thread, Long> table, int block, int warp, int lanes, long time) {
    for (int w = 0; w < WARPS; w++) {
      for (int lane = 0; lane < LANES; lane++) {
        if (warp < 0 || w == warp && (lanes >>> lane & 1) != 0) {
          table.put(new Thread(block, w, lane), time);
        }
      }
    }
  }

  private static Both join(Both a, Both b) {
    Map<Thread, Long> table = new HashMap<>(a.table);
    b.table.forEach((thread, time) -> table.merge(thread, time, Math::max));
    return new Both(Objects.requireNonNull(ThreadClock.join(a.clock, b.clock)), table);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void knowsWhatATableKnows(long seed) {
    Random random = new Random(seed);
    List<Both> all = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      all.add(random(random));
    }
    for (int i = 0; i < 400; i++) {
      Both a = all.get(random.nextInt(all.size()));
      Both b = all.get(random.nextInt(all.size()));
      all.add(join(a, b));
    }
    for (Both each : all) {
      for (int block : BLOCKS) {
        for (int warp = 0; warp < WARPS; warp++) {
          for (int lane = 0; lane < LANES; lane++) {
            assertThat(each.clock.of(block, warp, lane))
                .as("seed %d, block %d, warp %d, lane %d", seed, block, warp, lane)
                .isEqualTo(each.table.getOrDefault(new Thread(block, warp, lane), -1L));
          }
        }
      }
    }
  }

  @Test
  void isKeptWhereTheOtherHasNothingNew() {
    Random random = new Random(6);
    Both some = random(random);
    for (int i = 0; i < 100; i++) {
      Both more = join(some, random(random));
      assertThat(ThreadClock.join(more.clock, some.clock)).isSameAs(more.clock);
      assertThat(ThreadClock.join(some.clock, more.clock)).isSameAs(more.clock);
      some = more;
    }
  }
}
