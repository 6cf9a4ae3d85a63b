package dev.reprise.cuda.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cuda.Device;
import dev.reprise.cuda.EverythingReleased;
import dev.reprise.cuda.LiveResources;
import dev.reprise.cuda.diagnostics.Diagnostics;
import dev.reprise.cuda.diagnostics.Leak;
import dev.reprise.cuda.diagnostics.ResourceKind;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Learns of objects that were never closed, and where they were made. */
@ExtendWith(EverythingReleased.class)
final class FindLeaksTest {

  @Test
  void aForgottenBufferIsReported() throws InterruptedException {
    Queue<Leak> leaks = new ConcurrentLinkedQueue<>();
    Diagnostics traced =
        Diagnostics.standard()
            .withCreationSites()
            .withListener(
                new QuietListener() {
                  @Override
                  public void leaked(Leak leak) {
                    leaks.add(leak);
                  }
                });
    try (Device device = Device.open(0, traced)) {
      forget(device);
      assertThat(LiveResources.count(ResourceKind.DEVICE_BUFFER)).isPositive();
      // A program need not do this: the report comes with whichever collection finds the buffer.
      while (leaks.isEmpty()) {
        System.gc();
        Thread.sleep(1);
      }
    }
    assertThat(leaks)
        .singleElement()
        .satisfies(leak -> {
          assertThat(leak.label()).isEqualTo("forgotten");
          assertThat(leak.bytes()).isEqualTo(4096);
          assertThat(leak.creationSite()).hasStackTraceContaining("FindLeaksTest.forget");
        });
  }

  @SuppressWarnings("CheckReturnValue") // it is what is forgotten
  private static void forget(Device device) {
    device.allocate("forgotten", 4096);
  }
}
