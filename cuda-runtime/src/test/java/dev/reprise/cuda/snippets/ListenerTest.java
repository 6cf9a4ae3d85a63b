package dev.reprise.cuda.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cuda.Device;
import dev.reprise.cuda.EverythingReleased;
import dev.reprise.cuda.LiveResources;
import dev.reprise.cuda.Stream;
import dev.reprise.cuda.diagnostics.CleanupFailure;
import dev.reprise.cuda.diagnostics.Diagnostics;
import dev.reprise.cuda.diagnostics.DiagnosticsListener;
import dev.reprise.cuda.diagnostics.HostFunctionFailure;
import dev.reprise.cuda.diagnostics.Leak;
import dev.reprise.cuda.diagnostics.ResourceKind;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The page of {@code dev.reprise.cuda.diagnostics}. */
@ExtendWith(EverythingReleased.class)
final class ListenerTest {

  @Test
  void whatCannotBeThrownIsReported() {
    Queue<String> reports = new ConcurrentLinkedQueue<>();
    // @start region="listener"
    DiagnosticsListener listener =
        new DiagnosticsListener() {
          @Override
          public void leaked(Leak leak) {
            reports.add("not closed: " + leak.kind() + " '" + leak.label() + "'");
          }

          @Override
          public void cleanupFailed(CleanupFailure failure) {
            reports.add("not released: '" + failure.label() + "': " + failure.failure());
          }

          @Override
          public void hostFunctionFailed(HostFunctionFailure failure) {
            reports.add("failed: '" + failure.label() + "': " + failure.failure().getMessage());
          }
        };

    try (Device device =
            Device.open(0, Diagnostics.standard().withCreationSites().withListener(listener));
        Stream stream = device.createStream("main")) {
      stream.launchHost(
          "refill",
          () -> {
            throw new IllegalStateException("no more input");
          });
      stream.synchronize();
      System.Logger log = System.getLogger("decode");
      log.log(System.Logger.Level.DEBUG, "streams: {0}", LiveResources.count(ResourceKind.STREAM));
    }
    // @end
    assertThat(reports).containsExactly("failed: 'refill': no more input");
  }
}
