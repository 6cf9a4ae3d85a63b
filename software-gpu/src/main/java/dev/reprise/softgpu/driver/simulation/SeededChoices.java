package dev.reprise.softgpu.driver.simulation;

import dev.reprise.softgpu.driver.queue.Choices;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The decisions of one seed. A seed also has a temper, since a mistake that shows when one stream
 * lags far behind is not found by tossing a fair coin at each step: some seeds toss it, some stay
 * with a stream, some prefer streams by a rank that changes now and then; some let the device run
 * ahead of the program, some let it lag. Thread-safe.
 */
final class SeededChoices implements Choices {

  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  private enum Temper {
    FAIR,
    STICKY,
    RANKED
  }

  private final long seed;
  private final SplittableRandom random;
  private final Temper temper;

  /** In how many of 4 submissions the device runs on before the call returns. */
  private final int eagerness;

  private long epoch;
  private long last = -1;
  private long launches;

  SeededChoices(long seed) {
    this.seed = seed;
    this.random = new SplittableRandom(seed);
    this.temper = Temper.values()[random.nextInt(Temper.values().length)];
    this.eagerness = random.nextInt(5);
  }

  long seed() {
    return seed;
  }

  @Override
  public synchronized int oneOf(int count) {
    return count == 1 ? 0 : random.nextInt(count);
  }

  @Override
  public synchronized long launchSeed() {
    return hash(++launches) | 1;
  }

  /**
   * Chooses one of several queues.
   *
   * @param first the number of the queue that was made first under the seed
   */
  synchronized int queue(List<SimulatedQueue> ready, long first) {
    int chosen = choose(ready, first);
    last = ready.get(chosen).number();
    return chosen;
  }

  private int choose(List<SimulatedQueue> ready, long first) {
    if (ready.size() == 1) {
      return 0;
    }
    if (random.nextInt(16) == 0) {
      epoch++;
      return random.nextInt(ready.size());
    }
    return switch (temper) {
      case FAIR -> random.nextInt(ready.size());
      case STICKY -> {
        for (int i = 0; i < ready.size(); i++) {
          if (ready.get(i).number() == last) {
            yield i;
          }
        }
        yield random.nextInt(ready.size());
      }
      case RANKED -> {
        int best = 0;
        for (int i = 1; i < ready.size(); i++) {
          if (rank(ready.get(i), first) > rank(ready.get(best), first)) {
            best = i;
          }
        }
        yield best;
      }
    };
  }

  private long rank(SimulatedQueue queue, long first) {
    return hash((queue.number() - first) * 31 + epoch);
  }

  /**
   * How many pieces are to be done before the call returns that submitted an item. A function of
   * the item, so that threads which submit now and then do not change the decisions of others.
   */
  int ahead(long queue, long item) {
    long h = hash(queue * 0x1_0000_0001L + item);
    boolean runs = (h & 3) < eagerness;
    if (!runs) {
      return 0;
    }
    return eagerness == 4 ? Integer.MAX_VALUE : 1 + (int) (h >>> 60 & 3);
  }

  private long hash(long value) {
    long z = (value + seed) * GOLDEN + seed;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }
}
