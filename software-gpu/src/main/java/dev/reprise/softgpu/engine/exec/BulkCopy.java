package dev.reprise.softgpu.engine.exec;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.reprise.softgpu.memory.HostMemory;
import java.lang.foreign.MemorySegment;
import java.util.List;
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

  private final List<Piece> source;
  private final List<Piece> target;
  private final Writer writer;
  private byte @Nullable [] data;

  BulkCopy(List<Piece> source, List<Piece> target, Writer writer) {
    this.source = source;
    this.target = target;
    this.writer = writer;
  }

  /** Whether the source has been read, so that it may change. */
  boolean read() {
    return data != null;
  }

  /** Reads the source if nobody has yet. */
  byte[] readSource() {
    byte[] known = data;
    if (known != null) {
      return known;
    }
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
    data = all;
    return all;
  }

  /** Writes the target. */
  void arrive() {
    byte[] all = readSource();
    int at = 0;
    for (Piece p : target) {
      writer.write(all, at, p.at, p.bytes);
      at += p.bytes;
    }
  }
}
