package dev.reprise.graph.decode;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.reprise.cuda.Device;
import dev.reprise.cuda.DeviceBuffer;
import dev.reprise.cuda.PinnedBuffer;
import dev.reprise.cuda.Stream;
import dev.reprise.kernels.Span;
import dev.reprise.kernels.contract.StatusBit;
import java.lang.foreign.MemorySegment;

/**
 * What a step gives: the sampled tokens and the status word, which every step copies to pinned
 * memory, and the logits, which stay on the device.
 */
final class StepOutputs implements AutoCloseable {

  private static final long ALIGNMENT = 256;

  /** Slots of the ring of sampled tokens on the device; the host needs the latest only. */
  static final int RING = 2;

  private final int maxLogitRows;
  private final int vocabulary;
  private final DeviceBuffer logits;
  private final DeviceBuffer results;
  private final PinnedBuffer mirror;
  private final long statusOffset;
  private final long stepOffset;
  private final long ringOffset;

  private StepOutputs(
      int maxLogitRows,
      int vocabulary,
      DeviceBuffer logits,
      DeviceBuffer results,
      PinnedBuffer mirror) {
    this.maxLogitRows = maxLogitRows;
    this.vocabulary = vocabulary;
    this.logits = logits;
    this.results = results;
    this.mirror = mirror;
    this.statusOffset = statusOffset(maxLogitRows);
    this.stepOffset = statusOffset + ALIGNMENT;
    this.ringOffset = stepOffset + ALIGNMENT;
  }

  private static long statusOffset(int maxLogitRows) {
    return Math.ceilDiv((long) maxLogitRows * Integer.BYTES, ALIGNMENT) * ALIGNMENT;
  }

  /** Allocates the memory and zeroes status and step counter in stream order. */
  static StepOutputs allocate(Device device, Stream stream, int maxLogitRows, int vocabulary) {
    long ring = (long) RING * maxLogitRows * Integer.BYTES;
    long bytes = statusOffset(maxLogitRows) + 2 * ALIGNMENT + ring;
    DeviceBuffer logits = device.allocate("logits", (long) maxLogitRows * vocabulary * Float.BYTES);
    DeviceBuffer results = null;
    try {
      results = device.allocate("step results", bytes);
      PinnedBuffer mirror =
          device.allocatePinned("step results on the host", statusOffset(maxLogitRows) + 4);
      stream.fill32(results, 0, bytes / Integer.BYTES, 0);
      return new StepOutputs(maxLogitRows, vocabulary, logits, results, mirror);
    } catch (RuntimeException e) {
      logits.close();
      if (results != null) {
        results.close();
      }
      throw e;
    }
  }

  /** f32 {@code [maxLogitRows][vocabulary]}. */
  Span logitsSpan() {
    return Span.of(logits);
  }

  /** i32 {@code [maxLogitRows]}. */
  Span sampled() {
    return new Span(results, 0, (long) maxLogitRows * Integer.BYTES);
  }

  /** The status word. */
  Span status() {
    return new Span(results, statusOffset, Integer.BYTES);
  }

  /** The step counter. */
  Span step() {
    return new Span(results, stepOffset, Integer.BYTES);
  }

  /** i32 {@code [RING][maxLogitRows]}. */
  Span ring() {
    return new Span(results, ringOffset, (long) RING * maxLogitRows * Integer.BYTES);
  }

  /** Enqueues the copy of tokens and status to the host; may be captured. */
  void copyToHost(Stream stream) {
    stream.copyToHost(results, 0, mirror, 0, mirror.size());
  }

  /** The token of a logits row, after the copy is done. */
  int sampled(int logitRow) {
    java.util.Objects.checkIndex(logitRow, maxLogitRows);
    return mirror.segment().get(JAVA_INT, (long) logitRow * Integer.BYTES);
  }

  /**
   * Looks at the status word, after the copy is done.
   *
   * @throws IllegalStateException naming what the kernels found
   */
  void check() {
    int word = mirror.segment().get(JAVA_INT, statusOffset);
    if (word != 0) {
      throw new IllegalStateException(
          "A step met inputs that cannot be: " + StatusBit.decode(word) + "; its tokens are void");
    }
  }

  /** Copies a row of logits to the host. */
  float[] logits(Stream stream, int logitRow) {
    java.util.Objects.checkIndex(logitRow, maxLogitRows);
    float[] row = new float[vocabulary];
    stream.read(logits, (long) logitRow * vocabulary * Float.BYTES, MemorySegment.ofArray(row));
    return row;
  }

  @Override
  public void close() {
    mirror.close();
    results.close();
    logits.close();
  }
}
