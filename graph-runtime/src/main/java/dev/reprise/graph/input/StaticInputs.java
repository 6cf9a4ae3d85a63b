package dev.reprise.graph.input;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.reprise.cuda.Device;
import dev.reprise.cuda.DeviceBuffer;
import dev.reprise.cuda.Stream;
import dev.reprise.graph.kv.KvBlockAllocator;
import dev.reprise.graph.kv.KvSequence;
import dev.reprise.kernels.BlockTables;
import dev.reprise.kernels.Span;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The inputs of a step at fixed device addresses, for the largest bucket: one value per row of each
 * {@link RowInput}, and the block tables i32 {@code [sequences][maxBlocks]}.
 *
 * <p>The host writes a mirror; {@link #upload} copies what changed through the staging ring in
 * stream order, after everything that was enqueued before. There is no other way to write a
 * captured input. One thread at a time; {@code upload} is not allowed during a capture.
 */
public final class StaticInputs implements AutoCloseable {

  private static final int STAGING_SLOTS = 4;
  private static final long ALIGNMENT = 256;

  private final int maxRows;
  private final int maxSequences;
  private final int maxBlocks;
  private final Map<RowInput, Long> offsets = new EnumMap<>(RowInput.class);
  private final long tablesOffset;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment mirror;
  private final DeviceBuffer buffer;
  private final StagingRing staging;
  private final boolean[] tableChanged;
  private boolean rowsChanged = true;

  /**
   * @param maxRows rows of the largest bucket
   * @param maxSequences block tables
   * @param maxBlocks entries of each block table
   */
  public StaticInputs(Device device, int maxRows, int maxSequences, int maxBlocks) {
    this.maxRows = maxRows;
    this.maxSequences = maxSequences;
    this.maxBlocks = maxBlocks;
    this.tableChanged = new boolean[maxSequences];
    long offset = 0;
    for (RowInput input : RowInput.values()) {
      offsets.put(input, offset);
      offset += Math.ceilDiv((long) maxRows * input.elementBytes(), ALIGNMENT) * ALIGNMENT;
    }
    tablesOffset = offset;
    long bytes = tablesOffset + (long) maxSequences * maxBlocks * Integer.BYTES;
    mirror = arena.allocate(bytes, ALIGNMENT);
    buffer = device.allocate("step inputs", bytes);
    try {
      staging = new StagingRing(device, STAGING_SLOTS, bytes);
    } catch (RuntimeException e) {
      buffer.close();
      throw e;
    }
    pad(0, maxRows, 0, maxRows);
    java.util.Arrays.fill(tableChanged, true);
  }

  /** The device memory of an input, one value for each row of the largest bucket. */
  public Span span(RowInput input) {
    return new Span(buffer, offset(input), (long) maxRows * input.elementBytes());
  }

  /** The device memory of the block tables. */
  public BlockTables blockTables() {
    long bytes = (long) maxSequences * maxBlocks * Integer.BYTES;
    return new BlockTables(new Span(buffer, tablesOffset, bytes), maxSequences, maxBlocks);
  }

  /** Entries of each block table. */
  public int maxBlocks() {
    return maxBlocks;
  }

  /** How many block tables there are. */
  public int maxSequences() {
    return maxSequences;
  }

  /** Sets an i32 input of a row. */
  public void set(RowInput input, int row, int value) {
    mirror.set(JAVA_INT, place(input, row, Integer.BYTES), value);
  }

  /** Sets an f32 input of a row. */
  public void set(RowInput input, int row, float value) {
    mirror.set(JAVA_FLOAT, place(input, row, Float.BYTES), value);
  }

  /** Sets a u64 input of a row. */
  public void set(RowInput input, int row, long value) {
    mirror.set(JAVA_LONG, place(input, row, Long.BYTES), value);
  }

  private long place(RowInput input, int row, int bytes) {
    if (input.elementBytes() != bytes) {
      throw new IllegalArgumentException(
          input + " has " + input.elementBytes() + " bytes a row, not " + bytes);
    }
    java.util.Objects.checkIndex(row, maxRows);
    rowsChanged = true;
    return offset(input) + (long) row * bytes;
  }

  private long offset(RowInput input) {
    return java.util.Objects.requireNonNull(offsets.get(input));
  }

  /**
   * Applies the padding contract to what lies beyond the live rows of a step.
   *
   * @param liveRows rows of the step
   * @param rows rows of its bucket
   * @param liveLogitRows logits rows of the step
   * @param logitRows logits rows of its bucket
   */
  public void pad(int liveRows, int rows, int liveLogitRows, int logitRows) {
    for (RowInput input : RowInput.values()) {
      boolean perLogitRow = input.compareTo(RowInput.LOGIT_ROWS) >= 0;
      int from = perLogitRow ? liveLogitRows : liveRows;
      int to = perLogitRow ? logitRows : rows;
      for (int row = from; row < to; row++) {
        pad(input, row);
      }
    }
    rowsChanged = true;
  }

  private void pad(RowInput input, int row) {
    int bytes = input.elementBytes();
    long at = offset(input) + (long) row * bytes;
    switch (input.padding()) {
      case KEEP -> {}
      case ZERO -> mirror.asSlice(at, bytes).fill((byte) 0);
      // All bits set: −1 in every integer width.
      case SENTINEL -> mirror.asSlice(at, bytes).fill((byte) RowInput.PADDING);
      case REPEAT_ROW_0 -> MemorySegment.copy(mirror, offset(input), mirror, at, bytes);
    }
  }

  /**
   * Writes the block table of a sequence: its blocks, then null blocks.
   *
   * @throws dev.reprise.graph.kv.FreedBlockException if one of the blocks was freed
   */
  public void setBlockTable(int table, KvSequence sequence) {
    java.util.Objects.checkIndex(table, maxSequences);
    if (sequence.blockCount() > maxBlocks) {
      throw new IllegalArgumentException(
          "A block table has %d entries, the sequence %d blocks"
              .formatted(maxBlocks, sequence.blockCount()));
    }
    sequence.check();
    long at = tablesOffset + (long) table * maxBlocks * Integer.BYTES;
    for (int i = 0; i < maxBlocks; i++) {
      int id =
          i < sequence.blockCount()
              ? KvBlockAllocator.id(sequence.block(i))
              : KvBlockAllocator.NULL_BLOCK;
      mirror.set(JAVA_INT, at + (long) i * Integer.BYTES, id);
    }
    tableChanged[table] = true;
  }

  /** Whether the host changed anything since the last upload. */
  public boolean changed() {
    if (rowsChanged) {
      return true;
    }
    for (boolean changed : tableChanged) {
      if (changed) {
        return true;
      }
    }
    return false;
  }

  /**
   * Copies what changed to the device in stream order.
   *
   * <p>Row inputs travel together: after one of them is set, all rows are written as the host has
   * them, also those that the device has advanced since. So set them all when the rows of a step
   * change, and only block tables between such changes.
   *
   * @return bytes copied
   */
  public long upload(Stream stream) {
    if (!changed()) {
      return 0;
    }
    List<StagingRing.Range> ranges = new ArrayList<>();
    if (rowsChanged) {
      ranges.add(new StagingRing.Range(0, tablesOffset));
    }
    long tableBytes = (long) maxBlocks * Integer.BYTES;
    for (int table = 0; table < maxSequences; table++) {
      if (tableChanged[table]) {
        ranges.add(new StagingRing.Range(tablesOffset + table * tableBytes, tableBytes));
      }
    }
    staging.copy(stream, mirror, ranges, buffer);
    rowsChanged = false;
    java.util.Arrays.fill(tableChanged, false);
    return ranges.stream().mapToLong(StagingRing.Range::bytes).sum();
  }

  @Override
  public void close() {
    staging.close();
    buffer.close();
    if (arena.scope().isAlive()) {
      arena.close();
    }
  }
}
