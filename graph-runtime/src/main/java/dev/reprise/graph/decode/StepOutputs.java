package dev.reprise.graph.decode;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.reprise.cuda.Device;
import dev.reprise.cuda.DeviceBuffer;
import dev.reprise.cuda.PinnedBuffer;
import dev.reprise.cuda.Stream;
import dev.reprise.kernels.Span;
import dev.reprise.kernels.contract.StatusBit;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * What steps give. Each result slot holds the sampled tokens and the status word of one step, on
 * the device and as a copy in pinned memory, so that a step in flight never writes what the host
 * still reads of another. The logits stay on the device and are those of the last step.
 */
final class StepOutputs implements AutoCloseable {

  private static final long ALIGNMENT = 256;

  /** Slots of the ring that the kernels keep of sampled tokens; nobody reads it. */
  static final int RING = 2;

  private final int slots;
  private final int maxLogitRows;
  private final int vocabulary;
  private final DeviceBuffer logits;
  private final DeviceBuffer results;
  private final PinnedBuffer mirror;
  private final long slotBytes;
  private final long statusOffset;
  private final long stepOffset;
  private final long ringOffset;

  private StepOutputs(
      int slots,
      int maxLogitRows,
      int vocabulary,
      DeviceBuffer logits,
      DeviceBuffer results,
      PinnedBuffer mirror) {
    this.slots = slots;
    this.maxLogitRows = maxLogitRows;
    this.vocabulary = vocabulary;
    this.logits = logits;
    this.results = results;
    this.mirror = mirror;
    this.statusOffset = statusOffset(maxLogitRows);
    this.slotBytes = statusOffset + ALIGNMENT;
    this.stepOffset = slots * slotBytes;
    this.ringOffset = stepOffset + ALIGNMENT;
  }

  private static long statusOffset(int maxLogitRows) {
    return Math.ceilDiv((long) maxLogitRows * Integer.BYTES, ALIGNMENT) * ALIGNMENT;
  }

  /** Allocates the memory and zeroes status words and step counter in stream order. */
  static StepOutputs allocate(
      Device device, Stream stream, int slots, int maxLogitRows, int vocabulary) {
    long slotBytes = statusOffset(maxLogitRows) + ALIGNMENT;
    long ring = (long) RING * maxLogitRows * Integer.BYTES;
    long bytes = slots * slotBytes + ALIGNMENT + ring;
    List<AutoCloseable> made = new ArrayList<>();
    try {
      DeviceBuffer logits =
          device.allocate("logits", (long) maxLogitRows * vocabulary * Float.BYTES);
      made.add(logits);
      DeviceBuffer results = device.allocate("step results", bytes);
      made.add(results);
      PinnedBuffer mirror = device.allocatePinned("step results on the host", slots * slotBytes);
      made.add(mirror);
      stream.fill32(results, 0, bytes / Integer.BYTES, 0);
      return new StepOutputs(slots, maxLogitRows, vocabulary, logits, results, mirror);
    } catch (RuntimeException e) {
      Closing.all(made, e);
      throw e;
    }
  }

  /** How many steps have results of their own. */
  int slots() {
    return slots;
  }

  /** f32 {@code [maxLogitRows][vocabulary]}. */
  Span logitsSpan() {
    return Span.of(logits);
  }

  /** i32 {@code [maxLogitRows]}. */
  Span sampled(int slot) {
    return new Span(results, slot * slotBytes, (long) maxLogitRows * Integer.BYTES);
  }

  /** The status word of a slot. */
  Span status(int slot) {
    return new Span(results, slot * slotBytes + statusOffset, Integer.BYTES);
  }

  /** The step counter. */
  Span step() {
    return new Span(results, stepOffset, Integer.BYTES);
  }

  /** i32 {@code [RING][maxLogitRows]}. */
  Span ring() {
    return new Span(results, ringOffset, (long) RING * maxLogitRows * Integer.BYTES);
  }

  /** Enqueues the copy of a slot's tokens and status to the host; may be captured. */
  void copyToHost(Stream stream, int slot) {
    long at = slot * slotBytes;
    stream.copyToHost(results, at, mirror, at, statusOffset + Integer.BYTES);
  }

  /** The token of a logits row, after the copy is done. */
  int sampled(int slot, int logitRow) {
    java.util.Objects.checkIndex(logitRow, maxLogitRows);
    return mirror.segment().get(JAVA_INT, slot * slotBytes + (long) logitRow * Integer.BYTES);
  }

  /**
   * Looks at a slot's status word, after the copy is done, and clears it for the next step.
   *
   * @throws IllegalStateException naming what the kernels found
   */
  void check(Stream stream, int slot) {
    long at = slot * slotBytes + statusOffset;
    int word = mirror.segment().get(JAVA_INT, at);
    if (word != 0) {
      stream.fill32(results, at, 1, 0);
      mirror.segment().set(JAVA_INT, at, 0);
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
