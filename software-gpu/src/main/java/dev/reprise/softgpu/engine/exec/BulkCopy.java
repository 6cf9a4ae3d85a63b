package dev.reprise.softgpu.engine.exec;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.reprise.softgpu.memory.HostMemory;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A bulk copy that has begun: it reads its source and writes its target when it is waited for, not
 * before, so that a program that forgets to wait sees old data, and one that writes to the source
 * too early copies new data.
 */
public final class BulkCopy {
  /** A piece of native memory. */
  record Piece(long at, int bytes) {}

  /** Brings bytes to their place. */
  @FunctionalInterface
  public interface Writer {
    /**
     * Writes a piece of the target.
     *
     * @param from offset in {@code data}
     * @param to native address
     */
    void write(byte[] data, int from, long to, int bytes);
  }

  /** Writes all bytes as they are. */
  static final Writer PLAIN =
      (data, from, to, bytes) ->
          MemorySegment.copy(data, from, HostMemory.ALL, JAVA_BYTE, to, bytes);

  private final Supplier<byte[]> source;
  private final Consumer<byte[]> target;
  private final Runnable taken;
  private byte @Nullable [] data;

  /**
   * A copy between two places.
   *
   * @param taken run when the source is read
   */
  BulkCopy(Supplier<byte[]> source, Consumer<byte[]> target, Runnable taken) {
    this.source = source;
    this.target = target;
    this.taken = taken;
  }

  BulkCopy(List<Piece> source, List<Piece> target, Writer writer, Runnable taken) {
    this(() -> gather(source), data -> spread(data, target, writer), taken);
  }

  /** Whether the source has been read, so that it may change. */
  boolean read() {
    return data != null;
  }

  /** Reads the source if nobody has yet. */
  byte[] readSource() {
    byte[] known = data;
    if (known == null) {
      taken.run();
      known = source.get();
      data = known;
    }
    return known;
  }

  /** Writes the target. */
  void arrive() {
    target.accept(readSource());
  }

  private static byte[] gather(List<Piece> source) {
    int size = 0;
    for (Piece p : source) {
      size += p.bytes;
    }
    byte[] all = new byte[size];
    int at = 0;
    for (Piece p : source) {
      MemorySegment.copy(HostMemory.ALL, JAVA_BYTE, p.at, all, at, p.bytes);
      at += p.bytes;
    }
    return all;
  }

  private static void spread(byte[] data, List<Piece> target, Writer writer) {
    int at = 0;
    for (Piece p : target) {
      writer.write(data, at, p.at, p.bytes);
      at += p.bytes;
    }
  }
}
