package dev.reprise.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

final class ThreadsTest extends GpuTest {

  private void workOfItsOwn(int id) {
    try (Stream own = device.createStream("stream-" + id);
        DeviceBuffer buffer = device.allocate("buffer-" + id, 400)) {
      PreparedLaunch fill = fill(buffer, id, 100);
      for (int round = 0; round < 5; round++) {
        fill.setI32(1, id + round);
        fill.launch(own);
        int[] values = new int[100];
        own.read(buffer, 0, MemorySegment.ofArray(values));
        // Parking between calls lets a virtual thread change its carrier.
        LockSupport.parkNanos(1_000);
        assertThat(values).containsOnly(id + round);
      }
    }
  }

  private void runAll(ExecutorService executor, int tasks)
      throws InterruptedException, ExecutionException {
    List<Future<?>> all = new ArrayList<>();
    for (int i = 0; i < tasks; i++) {
      int id = i * 1000;
      all.add(executor.submit(() -> workOfItsOwn(id)));
    }
    for (Future<?> one : all) {
      one.get();
    }
  }

  @Test
  void platformThreadsWorkSideBySide() throws InterruptedException, ExecutionException {
    try (ExecutorService executor = Executors.newFixedThreadPool(4)) {
      runAll(executor, 16);
    }
  }

  @Test
  void virtualThreadsWorkSideBySide() throws InterruptedException, ExecutionException {
    try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
      runAll(executor, 60);
    }
  }

  @Test
  void operationsOfManyThreadsOnOneStreamDoNotGetLost() throws InterruptedException {
    DeviceBuffer counter = ints("counter", 0);
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 6; t++) {
      Thread.Builder builder = t % 2 == 0 ? Thread.ofPlatform() : Thread.ofVirtual();
      threads.add(
          builder.start(() -> {
            PreparedLaunch increment = increment(counter);
            for (int i = 0; i < 50; i++) {
              increment.launch(stream);
            }
          }));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(read(counter)).containsExactly(300);
    counter.close();
  }

  @Test
  void capturesOfSeveralThreadsTakeTurnsWithAllocationAndClosing()
      throws InterruptedException, ExecutionException {
    try (ExecutorService executor = Executors.newFixedThreadPool(4)) {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        int id = i;
        all.add(executor.submit(() -> captureAndReplay(id)));
        all.add(executor.submit(() -> workOfItsOwn(id)));
      }
      for (Future<?> one : all) {
        one.get();
      }
    }
  }

  private void captureAndReplay(int id) {
    try (Stream own = device.createStream("capture-" + id);
        DeviceBuffer counter = device.allocate("counter-" + id, 4)) {
      own.fill32(counter, 0, 1, 0);
      PreparedLaunch increment = increment(counter);
      for (int round = 0; round < 5; round++) {
        try (Graph graph =
                own.capture(capture -> {
                  increment.launch(own);
                  increment.launch(own);
                });
            GraphExec exec = graph.instantiate()) {
          exec.replay(own);
        }
      }
      int[] value = new int[1];
      own.read(counter, 0, MemorySegment.ofArray(value));
      assertThat(value).containsExactly(10);
    }
  }
}
