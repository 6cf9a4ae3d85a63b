package dev.reprise.softgpu.driver.context;

import dev.reprise.softgpu.driver.graph.Node;
import dev.reprise.softgpu.driver.queue.Marker;
import dev.reprise.softgpu.driver.queue.Work;
import dev.reprise.softgpu.driver.support.HandleKind;
import dev.reprise.softgpu.driver.support.Handled;
import dev.reprise.softgpu.driver.support.Handles;
import java.util.List;
import java.util.Set;

/**
 * An event ({@code CUevent}). A record takes the position of a stream, or inside a capture its
 * dependency set; waits and queries use what the last record took. Thread-safe.
 */
public final class Event extends Handled {

  /** What the last record took. */
  public sealed interface Recording permits Never, Position, InCapture {}

  /** No record yet: such an event counts as complete. */
  public record Never() implements Recording {}

  /** The position of a stream, and the time when it was passed for events that keep time. */
  public record Position(Marker marker, Stamp stamp) implements Recording {}

  /** The dependency set of a capturing stream. */
  public record InCapture(Capture capture, Stream stream, Set<Node> nodes) implements Recording {}

  /** The time at which a queue reached a record. */
  public static final class Stamp implements Work {
    private volatile long nanos;

    @Override
    public void run() {
      nanos = System.nanoTime();
    }

    /** {@link System#nanoTime} of the record; meaningful when its marker has passed. */
    public long nanos() {
      return nanos;
    }
  }

  private final Context context;
  private final boolean timing;
  private volatile Recording recording = new Never();

  public Event(Handles handles, Context context, boolean timing) {
    super(handles, HandleKind.EVENT);
    this.context = context;
    this.timing = timing;
  }

  public Context context() {
    return context;
  }

  /** False for events made with {@code CU_EVENT_DISABLE_TIMING}. */
  public boolean timing() {
    return timing;
  }

  /** What the last record took. */
  public Recording recording() {
    return recording;
  }

  void recordedInCapture(InCapture inCapture) {
    recording = inCapture;
  }

  /** Takes a position that a launch of a graph came to. */
  void recordedAt(Position position) {
    recording = position;
  }

  /** Takes the position behind all work of a context. */
  public void recordOn(Context whole) {
    Stamp stamp = new Stamp();
    recording = new Position(whole.submitBehindAll(stamp), stamp);
  }

  /** Takes the position of a stream that does not capture. */
  void recordOn(Stream stream) {
    Stamp stamp = new Stamp();
    Marker marker = timing || stream.blocking() ? stream.submit(stamp, List.of()) : stream.tail();
    recording = new Position(marker, stamp);
  }
}
