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
import java.util.BitSet;
import java.util.EnumMap;
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

  /** Bytes of block tables that are copied for nothing rather than making another copy. */
  private static final long GAP = 8 << 10;

  /** The inputs that the device changes from step to step. */
  private static final RowInput[] ADVANCED =
      java.util.Arrays.stream(RowInput.values())
          .filter(RowInput::advanced)
          .toArray(RowInput[]::new);

  private static final MemorySegment ZEROS = repeated(0);

  /** All bits set: −1 in every integer width. */
  private static final MemorySegment SENTINELS = repeated(RowInput.PADDING);

  private static MemorySegment repeated(int value) {
    return MemorySegment.ofArray(new byte[Long.BYTES]).fill((byte) value).asReadOnly();
  }

  private final int maxRows;
  private final int maxSequences;
  private final int maxBlocks;
  private final Map<RowInput, Long> offsets = new EnumMap<>(RowInput.class);
  private final long tablesOffset;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment mirror;
  private final DeviceBuffer buffer;
  private final StagingRing staging;
  private final CopyRanges ranges;

  /** For each input that the device advances, the rows that the host has set since the upload. */
  private final Map<RowInput, BitSet> advancedChanged = new EnumMap<>(RowInput.class);

  /** Entries of each block table that are blocks; the rest are null blocks. */
  private final int[] tableBlocks;

  /** The entries of each block table that were set since the upload: from … to - 1. */
  private final int[] tableFrom;

  private final int[] tableTo;

  /** Whether an input that only the host writes was set since the upload. */
  private boolean ownChanged = true;

  private boolean changed = true;

  /**
   * @param maxRows rows of the largest bucket
   * @param maxSequences block tables
   * @param maxBlocks entries of each block table
   */
  public StaticInputs(Device device, int maxRows, int maxSequences, int maxBlocks) {
    this.maxRows = maxRows;
    this.maxSequences = maxSequences;
    this.maxBlocks = maxBlocks;
    this.tableBlocks = new int[maxSequences];
    this.tableFrom = new int[maxSequences];
    this.tableTo = new int[maxSequences];
    // Of each input that the device advances every other row, the others, and of each table one.
    this.ranges = new CopyRanges(ADVANCED.length * ((maxRows + 1) / 2) + 1 + maxSequences);
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
    for (RowInput input : ADVANCED) {
      BitSet rows = new BitSet(maxRows);
      rows.set(0, maxRows);
      advancedChanged.put(input, rows);
    }
    pad(0, maxRows, 0, maxRows);
    // All of them, once; the mirror is zero, and so is the id of the null block.
    java.util.Arrays.fill(tableTo, maxBlocks);
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
    touched(input, row);
    return offset(input) + (long) row * bytes;
  }

  private void touched(RowInput input, int row) {
    changed = true;
    BitSet rows = advancedChanged.get(input);
    if (rows == null) {
      ownChanged = true;
    } else {
      rows.set(row);
    }
  }

  private BitSet changedRows(RowInput advanced) {
    return java.util.Objects.requireNonNull(advancedChanged.get(advanced));
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
  }

  private void pad(RowInput input, int row) {
    int bytes = input.elementBytes();
    long at = offset(input) + (long) row * bytes;
    MemorySegment place = mirror.asSlice(at, bytes);
    MemorySegment wanted =
        switch (input.padding()) {
          case KEEP -> place;
          case ZERO -> ZEROS.asSlice(0, bytes);
          case SENTINEL -> SENTINELS.asSlice(0, bytes);
          case REPEAT_ROW_0 -> mirror.asSlice(offset(input), bytes);
        };
    // A padding row that is one already is left alone on the device too: it does not advance.
    if (place.mismatch(wanted) >= 0) {
      place.copyFrom(wanted);
      touched(input, row);
    }
  }

  /**
   * Writes the block table of a sequence: its blocks, then null blocks.
   *
   * @throws dev.reprise.graph.kv.FreedBlockException if one of the blocks was freed
   */
  public void setBlockTable(int table, KvSequence sequence) {
    checkTable(table, sequence);
    int count = sequence.blockCount();
    sequence.check(0);
    writeEntries(table, sequence, 0, Math.max(count, tableBlocks[table]));
    tableBlocks[table] = count;
  }

  /**
   * Writes the blocks that a sequence got behind those that its table has; the others have not
   * changed since they were written.
   *
   * @throws dev.reprise.graph.kv.FreedBlockException if one of the new blocks was freed
   */
  public void extendBlockTable(int table, KvSequence sequence) {
    checkTable(table, sequence);
    int from = tableBlocks[table];
    int count = sequence.blockCount();
    sequence.check(Math.min(from, count));
    writeEntries(table, sequence, from, count);
    tableBlocks[table] = Math.max(from, count);
  }

  private void checkTable(int table, KvSequence sequence) {
    java.util.Objects.checkIndex(table, maxSequences);
    if (sequence.blockCount() > maxBlocks) {
      throw new IllegalArgumentException(
          "A block table has %d entries, the sequence %d blocks"
              .formatted(maxBlocks, sequence.blockCount()));
    }
  }

  private void writeEntries(int table, KvSequence sequence, int from, int to) {
    int count = sequence.blockCount();
    for (int i = from; i < to; i++) {
      int id = i < count ? KvBlockAllocator.id(sequence.block(i)) : KvBlockAllocator.NULL_BLOCK;
      setEntry(table, i, id);
    }
  }

  private void setEntry(int table, int index, int id) {
    long at = tablesOffset + ((long) table * maxBlocks + index) * Integer.BYTES;
    if (mirror.get(JAVA_INT, at) == id) {
      return;
    }
    mirror.set(JAVA_INT, at, id);
    if (tableFrom[table] == tableTo[table]) {
      tableFrom[table] = index;
      tableTo[table] = index + 1;
    } else {
      tableFrom[table] = Math.min(tableFrom[table], index);
      tableTo[table] = Math.max(tableTo[table], index + 1);
    }
    changed = true;
  }

  /** Whether the host changed anything since the last upload. */
  public boolean changed() {
    return changed;
  }

  /**
   * Copies what changed to the device in stream order.
   *
   * <p>Of {@link RowInput#advanced()} inputs only the rows travel that were set since the last
   * upload, so that rows that go on keep what the device made of them. Allocates nothing of its own
   * on the Java heap.
   *
   * @return bytes copied
   */
  public long upload(Stream stream) {
    if (!changed) {
      return 0;
    }
    ranges.clear();
    for (RowInput input : ADVANCED) {
      addRuns(input, changedRows(input));
    }
    if (ownChanged) {
      long from = offset(RowInput.SEQUENCES);
      ranges.add(from, tablesOffset - from);
    }
    addTableEntries();
    staging.copy(stream, mirror, ranges, buffer);
    // Only now: what a failed copy left out is copied the next time.
    for (RowInput input : ADVANCED) {
      changedRows(input).clear();
    }
    ownChanged = false;
    java.util.Arrays.fill(tableFrom, 0);
    java.util.Arrays.fill(tableTo, 0);
    changed = false;
    return ranges.totalBytes();
  }

  /** What lies between entries goes along where that is less than a call of the driver costs. */
  private void addTableEntries() {
    long from = 0;
    long to = 0;
    for (int table = 0; table < maxSequences; table++) {
      if (tableFrom[table] == tableTo[table]) {
        continue;
      }
      long start = tablesOffset + ((long) table * maxBlocks + tableFrom[table]) * Integer.BYTES;
      if (to == 0 || start - to > GAP) {
        if (to > 0) {
          ranges.add(from, to - from);
        }
        from = start;
      }
      to = tablesOffset + ((long) table * maxBlocks + tableTo[table]) * Integer.BYTES;
    }
    if (to > 0) {
      ranges.add(from, to - from);
    }
  }

  /** One range for each run of neighbouring rows. */
  private void addRuns(RowInput input, BitSet rows) {
    long bytes = input.elementBytes();
    for (int from = rows.nextSetBit(0); from >= 0; from = rows.nextSetBit(from)) {
      int to = rows.nextClearBit(from);
      ranges.add(offset(input) + from * bytes, (to - from) * bytes);
      from = to;
    }
  }

  /** Bytes, from the start of {@link #buffer}, of the inputs that the device advances. */
  public long advancedBytes() {
    return offset(RowInput.SEQUENCES);
  }

  /** The device memory of all inputs; those that the device advances come first. */
  public DeviceBuffer buffer() {
    return buffer;
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
