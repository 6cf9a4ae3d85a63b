package dev.reprise.cuda.examples;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cuda.Device;
import dev.reprise.cuda.DeviceBuffer;
import dev.reprise.cuda.EverythingReleased;
import dev.reprise.cuda.PinnedBuffer;
import dev.reprise.cuda.Stream;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Java code in the order of a stream: a quick function, and a task for another thread. */
@ExtendWith(EverythingReleased.class)
final class CallJavaTest {

  @Test
  void aFunctionSeesWhatTheDeviceHasDone() throws Exception {
    Queue<String> log = new ConcurrentLinkedQueue<>();
    CompletableFuture<Integer> answer = new CompletableFuture<>();
    try (Device device = Device.open(0);
        Stream stream = device.createStream("main");
        DeviceBuffer buffer = device.allocate("buffer", 4);
        PinnedBuffer host = device.allocatePinned("host", 4);
        ExecutorService executor = Executors.newSingleThreadExecutor()) {
      stream.fill32(buffer, 0, 1, 42);
      stream.copyToHost(buffer, 0, host, 0, 4);
      // The stream waits for this one: it must be quick and must not call the runtime.
      stream.launchHost("log", () -> log.add("copied " + host.segment().get(JAVA_INT, 0)));
      // The stream does not wait for this one, which may do anything.
      stream.launchHost(
          "answer",
          () -> {
            int[] value = new int[1];
            stream.read(buffer, 0, value);
            answer.complete(value[0]);
          },
          executor);
      stream.synchronize();
      assertThat(log).containsExactly("copied 42");
      assertThat(answer.get(60, TimeUnit.SECONDS)).isEqualTo(42);
    }
  }
}
