package dev.reprise.cuda.diagnostics;

import java.time.Duration;
import java.util.List;

/**
 * The process ends while a stream still has host functions to call. Those that were not begun are
 * not called any more.
 *
 * @param stream the label of the stream
 * @param running the labels of the functions of its device that were running at the end, sorted
 * @param waited how long they were waited for
 */
public record HostWorkLeft(String stream, List<String> running, Duration waited) {

  /** One line for a log. */
  public String describe() {
    return "Stream '%s' had work with host functions left when the process ended, %s; it was waited for %d ms. Wait for the stream before the program ends."
        .formatted(
            stream,
            running.isEmpty()
                ? "none of which was running"
                : "of which '%s' did not return".formatted(String.join("', '", running)),
            waited.toMillis());
  }
}
