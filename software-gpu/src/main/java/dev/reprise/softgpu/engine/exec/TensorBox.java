package dev.reprise.softgpu.engine.exec;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.reprise.softgpu.memory.HostMemory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * A box of a tensor at a place: its rows along the innermost dimension, each with the part that
 * lies inside the tensor.
 */
final class TensorBox {
  /**
   * Part of a row.
   *
   * @param at offset in the box
   * @param address of its first byte in global memory
   */
  private record Part(int at, long address, int bytes) {}

  private final TensorMap map;
  private final int size;
  private final List<Part> parts = new ArrayList<>();

  TensorBox(TensorMap map, int[] coordinates) {
    this.map = map;
    size = map.boxBytes();
    int element = map.type().bytes();
    int row = map.count(0) * element;
    long first = Math.max(0, coordinates[0]);
    long end = Math.min(map.extents()[0], (long) coordinates[0] + map.box()[0]);
    int[] index = new int[map.rank()];
    for (int start = 0; start < size && first < end; start += row) {
      long address = map.address() + first * element;
      boolean inside = true;
      for (int k = 1; k < map.rank(); k++) {
        long c = coordinates[k] + (long) index[k] * map.steps()[k];
        inside &= c >= 0 && c < map.extents()[k];
        address += c * map.strides()[k - 1];
      }
      if (inside) {
        int at = start + (int) (first - coordinates[0]) * element;
        parts.add(new Part(at, address, (int) (end - first) * element));
      }
      for (int k = 1; k < map.rank() && ++index[k] == map.count(k); k++) {
        index[k] = 0;
      }
    }
  }

  /** Bytes of the box. */
  int size() {
    return size;
  }

  /** Bytes of shared memory that it may touch from its address on. */
  int span() {
    int unit = Math.max(BulkAccess.UNIT, map.swizzle());
    return (size + unit - 1) / unit * unit;
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
    if (map.fillsNan()) {
      int element = map.type().bytes();
      for (int k = 0; k < size; k++) {
        box[k] = (byte) (map.type().nan() >>> 8 * (k % element));
      }
    }
    for (int k = 0; k < parts.size(); k++) {
      int at = parts.get(k).at;
      for (BulkCopy.Piece piece : memory.get(k)) {
        MemorySegment.copy(HostMemory.ALL, JAVA_BYTE, piece.at(), box, at, piece.bytes());
        at += piece.bytes();
      }
    }
    return box;
  }

  /** Writes what lies inside the tensor to global memory. */
  void store(byte[] box, List<List<BulkCopy.Piece>> memory, BulkCopy.Writer writer) {
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
    for (int at = 0; at < size; at += BulkAccess.UNIT) {
      BulkCopy.PLAIN.write(box, at, shared + map.swizzled(offset + at), BulkAccess.UNIT);
    }
  }

  /** Takes the box from shared memory. */
  byte[] take(long shared, long offset) {
    byte[] box = new byte[size];
    for (int at = 0; at < size; at += BulkAccess.UNIT) {
      MemorySegment.copy(
          HostMemory.ALL, JAVA_BYTE, shared + map.swizzled(offset + at), box, at, BulkAccess.UNIT);
    }
    return box;
  }
}
