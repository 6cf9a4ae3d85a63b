package dev.reprise.softgpu.engine.exec;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.reprise.softgpu.memory.HostMemory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * What a copy takes of a tensor: rows along the innermost dimension, each with the part that lies
 * inside the tensor.
 */
final class TensorBox {
  /**
   * Part of a row.
   *
   * @param at offset in the box, as global memory packs it
   * @param address of its first byte in global memory
   */
  private record Part(int at, long address, int bytes) {}

  private final TensorMap map;
  private final int size;
  private final List<Part> parts = new ArrayList<>();

  /**
   * The rows that begin at these coordinates, the same along the innermost dimension.
   *
   * @see TensorRows
   */
  TensorBox(TensorMap map, List<long[]> rows) {
    this.map = map;
    TensorElement type = map.type();
    int elements = map.region().row();
    int bytes = (int) type.bytes(elements);
    size = rows.size() * bytes;
    for (int n = 0; n < rows.size(); n++) {
      long[] row = rows.get(n);
      long first = Math.max(0, row[0]);
      long end = Math.min(map.extents()[0], row[0] + elements);
      boolean inside = first < end;
      long address = map.address() + type.bytes(first);
      for (int k = 1; k < row.length; k++) {
        inside &= row[k] >= 0 && row[k] < map.extents()[k];
        address += row[k] * map.strides()[k - 1];
      }
      if (inside) {
        int at = n * bytes + (int) type.bytes(first - row[0]);
        parts.add(new Part(at, address, (int) type.bytes(end - first)));
      }
    }
  }

  /** Bytes of the box in shared memory. */
  int size() {
    return map.type().sharedBytes(size);
  }

  /** Bytes of shared memory that it may touch from its address on. */
  int span() {
    int unit = Math.max(BulkAccess.UNIT, map.swizzle().span());
    return (size() + unit - 1) / unit * unit;
  }

  /** Finds where what lies inside the tensor is in native memory. */
  List<List<BulkCopy.Piece>> find(Warp w, int lane, BulkAccess global) {
    List<List<BulkCopy.Piece>> all = new ArrayList<>();
    for (Part p : parts) {
      all.add(global.find(w, lane, p.address, p.bytes));
    }
    return all;
  }

  /** Reads the box from global memory, with what fills the rest. */
  byte[] load(List<List<BulkCopy.Piece>> memory) {
    byte[] box = new byte[size];
    for (int k = 0; k < parts.size(); k++) {
      int at = parts.get(k).at;
      for (BulkCopy.Piece piece : memory.get(k)) {
        MemorySegment.copy(HostMemory.ALL, JAVA_BYTE, piece.at(), box, at, piece.bytes());
        at += piece.bytes();
      }
    }
    byte[] found = map.type().toShared(box);
    return map.fillsNan() ? filled(found) : found;
  }

  /** NaN where nothing lies inside; such elements have the same size in both memories. */
  private byte[] filled(byte[] found) {
    byte[] box = new byte[size];
    map.type().fillNan(box);
    for (Part p : parts) {
      System.arraycopy(found, p.at, box, p.at, p.bytes);
    }
    return box;
  }

  /** Writes what lies inside the tensor to global memory. */
  void store(byte[] shared, List<List<BulkCopy.Piece>> memory, BulkCopy.Writer writer) {
    byte[] box = map.type().toGlobal(shared);
    for (int k = 0; k < parts.size(); k++) {
      int at = parts.get(k).at;
      for (BulkCopy.Piece piece : memory.get(k)) {
        writer.write(box, at, piece.at(), piece.bytes());
        at += piece.bytes();
      }
    }
  }

  /**
   * Brings the box to shared memory.
   *
   * @param shared native address of the block's
   */
  void put(byte[] box, long shared, long offset) {
    int unit = unit();
    for (int at = 0; at < box.length; at += unit) {
      BulkCopy.PLAIN.write(box, at, shared + map.swizzle().place(offset + at), unit);
    }
  }

  /** Bytes that stay together in shared memory. */
  private int unit() {
    return map.swizzle() == TensorSwizzle.NONE ? size() : map.swizzle().unit();
  }

  /** Takes the box from shared memory. */
  byte[] take(long shared, long offset) {
    byte[] box = new byte[size()];
    int unit = unit();
    for (int at = 0; at < box.length; at += unit) {
      long from = shared + map.swizzle().place(offset + at);
      MemorySegment.copy(HostMemory.ALL, JAVA_BYTE, from, box, at, unit);
    }
    return box;
  }
}
