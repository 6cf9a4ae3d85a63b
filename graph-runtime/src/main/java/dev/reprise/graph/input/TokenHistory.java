package dev.reprise.graph.input;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.reprise.cuda.Device;
import dev.reprise.cuda.DeviceBuffer;
import dev.reprise.cuda.PreparedLaunch;
import dev.reprise.cuda.Stream;
import dev.reprise.kernels.Kernels;
import dev.reprise.kernels.Penalties;
import dev.reprise.kernels.Span;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * What sequences with penalties have seen: for each slot one word per token of the vocabulary, at
 * fixed device addresses, in the form of {@link dev.reprise.kernels.Penalties}.
 *
 * <p>A slot is written anew from the tokens of the sequence that takes it, so that it does not
 * matter which of them are computed, come from a cached prefix, or are computed again. From then on
 * the steps count what they sample. One thread; not allowed during a capture.
 */
public final class TokenHistory implements AutoCloseable {

  /** The most tokens of one launch. */
  private static final int MOST_ROWS = 1024;

  private static final int STAGING_SLOTS = 2;

  /** The inputs of a recording, one after the other, an i32 for each row. */
  private enum Record {
    TOKENS,
    POSITIONS,
    PROMPT_SLOTS,
    GENERATED_SLOTS,
    ROW_INDEX
  }

  private final int slots;
  private final int vocabulary;
  private final int rows;
  private final DeviceBuffer history;
  private final DeviceBuffer records;
  private final StagingRing staging;
  private final CopyRanges whole = new CopyRanges(1);
  private final Arena arena = Arena.ofShared();
  private final MemorySegment mirror;
  private final List<PreparedLaunch> mark = new ArrayList<>();
  private final List<PreparedLaunch> count = new ArrayList<>();

  /**
   * @param slots how many sequences there is room for
   * @param maxTokens the most tokens of a sequence
   * @param status the status words: one is chosen at each {@link #rebuild}
   */
  public TokenHistory(
      Device device, Kernels kernels, int slots, int vocabulary, int maxTokens, List<Span> status) {
    this.slots = slots;
    this.vocabulary = vocabulary;
    rows = Math.min(MOST_ROWS, maxTokens);
    long bytes = (long) Record.values().length * rows * Integer.BYTES;
    mirror = arena.allocate(bytes);
    whole.add(0, bytes);
    history = device.allocate("token history", (long) slots * rowBytes());
    DeviceBuffer allocated = null;
    try {
      allocated = device.allocate("tokens to record", bytes);
      staging = new StagingRing(device, STAGING_SLOTS, bytes);
    } catch (RuntimeException e) {
      if (allocated != null) {
        allocated.close();
      }
      history.close();
      arena.close();
      throw e;
    }
    records = allocated;
    try {
      status.forEach(word -> prepare(kernels.penalties(), word));
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  /** The launches that report in one of the status words. */
  private void prepare(Penalties penalties, Span word) {
    mark.add(
        penalties.mark(
            input(Record.TOKENS),
            input(Record.POSITIONS),
            input(Record.PROMPT_SLOTS),
            span(),
            word,
            rows,
            vocabulary,
            slots));
    count.add(
        penalties.count(
            input(Record.TOKENS),
            input(Record.ROW_INDEX),
            input(Record.POSITIONS),
            input(Record.GENERATED_SLOTS),
            span(),
            word,
            rows,
            rows,
            vocabulary,
            slots));
  }

  private Span input(Record input) {
    long bytes = (long) rows * Integer.BYTES;
    return new Span(records, input.ordinal() * bytes, bytes);
  }

  private long rowBytes() {
    return (long) vocabulary * Integer.BYTES;
  }

  /** u32 {@code [slots][vocabulary]}. */
  public Span span() {
    return Span.of(history);
  }

  /** How many slots there are. */
  public int slots() {
    return slots;
  }

  /** A token of a sequence by its index. */
  @FunctionalInterface
  public interface Tokens {
    int at(int index);
  }

  /**
   * Forgets what a slot holds and records a sequence in it, in stream order.
   *
   * @param slot the slot
   * @param tokens the sequence
   * @param promptLength how many of them are its prompt
   * @param length how many there are
   * @param status which of the status words reports what cannot be
   */
  public void rebuild(
      Stream stream, int slot, Tokens tokens, int promptLength, int length, int status) {
    Objects.checkIndex(slot, slots);
    stream.fill32(history, slot * rowBytes(), vocabulary, 0);
    for (int from = 0; from < length; from += rows) {
      for (int row = 0; row < rows; row++) {
        int index = from + row;
        boolean live = index < length;
        boolean generated = index >= promptLength;
        put(Record.TOKENS, row, live ? tokens.at(index) : 0);
        put(Record.POSITIONS, row, live ? index : RowInput.PADDING);
        put(Record.PROMPT_SLOTS, row, live && !generated ? slot : RowInput.PADDING);
        put(Record.GENERATED_SLOTS, row, live && generated ? slot : RowInput.PADDING);
        put(Record.ROW_INDEX, row, live ? row : RowInput.PADDING);
      }
      staging.copy(stream, mirror, whole, records);
      stream.launch(mark.get(status));
      if (Math.min(length, from + rows) > promptLength) {
        stream.launch(count.get(status));
      }
    }
  }

  private void put(Record input, int row, int value) {
    mirror.setAtIndex(JAVA_INT, (long) input.ordinal() * rows + row, value);
  }

  @Override
  public void close() {
    staging.close();
    records.close();
    history.close();
    if (arena.scope().isAlive()) {
      arena.close();
    }
  }
}
