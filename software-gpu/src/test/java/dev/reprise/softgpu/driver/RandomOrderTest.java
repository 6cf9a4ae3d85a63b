package dev.reprise.softgpu.driver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.cuda_h;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random programs of work, records and waits on several streams, run in streams and as graphs, held
 * against an independent model: for each piece of work the set of those that must come before it.
 */
class RandomOrderTest extends DriverTest {

  private static final int STREAMS = 5;
  private static final int EVENTS = 4;
  private static final int STEPS = 120;

  private final List<Integer> log = Collections.synchronizedList(new ArrayList<>());
  private final List<BitSet> before = new ArrayList<>();
  private final BitSet[] streamPast = bitSets(STREAMS);
  private final BitSet[] eventPast = bitSets(EVENTS);

  static IntStream seeds() {
    return IntStream.rangeClosed(1, 25);
  }

  private static BitSet[] bitSets(int count) {
    return IntStream.range(0, count).mapToObj(i -> new BitSet()).toArray(BitSet[]::new);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void streamsKeepTheOrderThatTheProgramAsksFor(int seed) {
    Random random = new Random(seed);
    MemorySegment[] streams = new MemorySegment[STREAMS];
    boolean[] blocking = new boolean[STREAMS];
    for (int s = 0; s < STREAMS; s++) {
      // Stream 0 is the legacy stream, the first two others synchronise with it.
      blocking[s] = s < 3;
      streams[s] = s == 0 ? MemorySegment.NULL : blocking[s] ? blockingStream() : stream();
    }
    MemorySegment[] events = events();
    for (int step = 0; step < STEPS; step++) {
      int s = random.nextInt(STREAMS);
      int e = random.nextInt(EVENTS);
      switch (random.nextInt(4)) {
        case 0 -> {
          takeLegacyOrder(s, blocking);
          record(events[e], streams[s]);
          eventPast[e] = (BitSet) streamPast[s].clone();
        }
        case 1 -> {
          takeLegacyOrder(s, blocking);
          waitFor(streams[s], events[e]);
          streamPast[s].or(eventPast[e]);
        }
        default -> {
          takeLegacyOrder(s, blocking);
          work(random, s, streams[s]);
        }
      }
    }
    for (MemorySegment stream : streams) {
      synchronize(stream);
    }
    checkOrder();
  }

  private void takeLegacyOrder(int s, boolean[] blocking) {
    if (s == 0) {
      for (int other = 1; other < STREAMS; other++) {
        if (blocking[other]) {
          streamPast[0].or(streamPast[other]);
        }
      }
    } else if (blocking[s]) {
      streamPast[s].or(streamPast[0]);
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void graphsKeepTheOrderThatWasCaptured(int seed) {
    Random random = new Random(seed);
    MemorySegment[] streams = new MemorySegment[STREAMS];
    for (int s = 0; s < STREAMS; s++) {
      streams[s] = stream();
    }
    MemorySegment[] events = events();
    boolean[] joined = new boolean[STREAMS];
    boolean[] recorded = new boolean[EVENTS];
    joined[0] = true;
    begin(streams[0], THREAD_LOCAL);
    for (int step = 0; step < STEPS; step++) {
      int s = random.nextInt(STREAMS);
      int e = random.nextInt(EVENTS);
      int action = random.nextInt(4);
      if (action == 0 && joined[s]) {
        record(events[e], streams[s]);
        recorded[e] = true;
        eventPast[e] = (BitSet) streamPast[s].clone();
      } else if (action == 1 && recorded[e]) {
        waitFor(streams[s], events[e]);
        joined[s] = true;
        streamPast[s].or(eventPast[e]);
      } else if (joined[s]) {
        work(random, s, streams[s]);
      }
    }
    for (int s = 1; s < STREAMS; s++) {
      if (joined[s]) {
        record(events[0], streams[s]);
        waitFor(streams[0], events[0]);
      }
    }
    MemorySegment exec = instantiate(end(streams[0]));
    for (int launch = 0; launch < 2; launch++) {
      log.clear();
      ok(cuda_h.cuGraphLaunch(exec, streams[1]));
      synchronize(streams[1]);
      checkOrder();
    }
  }

  private MemorySegment[] events() {
    return IntStream.range(0, EVENTS).mapToObj(i -> event()).toArray(MemorySegment[]::new);
  }

  private void work(Random random, int s, MemorySegment stream) {
    int number = before.size();
    before.add((BitSet) streamPast[s].clone());
    streamPast[s].set(number);
    int spins = random.nextInt(20) == 0 ? 20_000 : random.nextInt(50);
    hostFunction(
        stream,
        () -> {
          for (int i = 0; i < spins; i++) {
            Thread.onSpinWait();
          }
          log.add(number);
        });
  }

  private void checkOrder() {
    int[] position = new int[before.size()];
    assertThat(log).hasSize(before.size()).doesNotHaveDuplicates();
    for (int i = 0; i < log.size(); i++) {
      position[log.get(i)] = i;
    }
    for (int later = 0; later < before.size(); later++) {
      int laterWork = later;
      before.get(later).stream()
          .forEach(earlier ->
              assertThat(position[earlier])
                  .as("work %d before work %d", earlier, laterWork)
                  .isLessThan(position[laterWork]));
    }
  }
}
