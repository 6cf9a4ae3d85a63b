package dev.reprise.softgpu.engine.exec;

import dev.reprise.softgpu.memory.Allocation;
import dev.reprise.softgpu.ptx.Space;
import java.util.ArrayList;
import java.util.List;

/**
 * One side of a bulk copy: as many bytes from an address on as the copy has. Addresses and sizes
 * are multiples of 16 (PTX ISA, "cp.async.bulk").
 */
final class BulkAccess extends MemoryOp {
  static final int UNIT = 16;

  /** Boxes of tensors begin at multiples of this in shared memory. */
  static final int TENSOR_UNIT = 128;

  private final String name;
  private final BlockWatch.Access kind;

  BulkAccess(MemoryAddress address, String verb, BlockWatch.Access kind) {
    super(address, verb);
    name = verb;
    this.kind = kind;
  }

  /** For the global memory of a tensor, whose addresses come from its map. */
  static BulkAccess ofTensor(String verb, BlockWatch.Access kind) {
    return new BulkAccess(new MemoryAddress(Space.GLOBAL, true, -1, 0, UNIT), verb, kind);
  }

  /** Has faults be those of {@code op}. */
  void addresses(Op op) {
    line = op.line;
    text = op.text;
  }

  /**
   * The addresses of all lanes in the operand's space; faults are from now on those of {@code op}.
   */
  long[] addresses(Warp w, Op op) {
    addresses(op);
    long[] all = new long[Warp.LANES];
    addresses(w, all);
    return all;
  }

  /** The block whose shared memory a lane names. */
  Block block(Warp w, int lane, long address) {
    return space() == Space.SHARED ? w.block : blockOf(w, address, lane);
  }

  /** Bytes of shared memory of a block, at the same offset as the lane's address. */
  List<BulkCopy.Piece> shared(Warp w, Block b, int lane, long address, int size) {
    aligned(address, UNIT, lane);
    long offset = space() == Space.SHARED ? address : Cluster.offset(address);
    if (offset < 0 || offset + size > b.sharedBytes) {
      String whose = b == w.block ? "the block" : "block " + b.rank() + " of the cluster";
      throw new LaneFault(
          700,
          line,
          lane,
          0,
          String.format(
              "illegal %s of %d bytes at 0x%x of the shared memory of %s, which has %d bytes (%s)",
              name, size, offset, whose, b.sharedBytes, text));
    }
    BlockWatch watch = b.watch;
    if (watch != null) {
      long[] seen = new long[Warp.LANES];
      seen[lane] = offset;
      if (b == w.block) {
        watch.access(w.index, this, kind, false, Space.SHARED, size, 1 << lane, seen);
      } else {
        watchRemote(w, b, size, 1 << lane, seen);
      }
    }
    return List.of(new BulkCopy.Piece(b.shared + offset, size));
  }

  /** What tells that a write to shared memory of a block is there. */
  Runnable telling(Warp w, Block b, int lane, long address, int size) {
    BlockWatch watch = b.watch;
    long offset = space() == Space.SHARED ? address : Cluster.offset(address);
    return watch == null ? () -> {} : () -> watch.arrived(w.index, lane, this, offset, size, false);
  }

  /**
   * What tells that shared memory of the own block has been read.
   *
   * @param awaited whether that is when the lane waits for it
   */
  Runnable taking(Warp w, int lane, long address, int size, boolean awaited) {
    BlockWatch watch = w.block.watch;
    return watch == null
        ? () -> {}
        : () -> watch.taken(w.index, lane, this, address, size, awaited);
  }

  /** Bytes of global memory, which may lie in several pieces. */
  List<BulkCopy.Piece> global(Warp w, int lane, long address, int size) {
    aligned(address, UNIT, lane);
    return find(w, lane, address, size);
  }

  /** As {@link #global}, at any address. */
  List<BulkCopy.Piece> find(Warp w, int lane, long address, int size) {
    List<BulkCopy.Piece> all = new ArrayList<>();
    long at = address;
    long end = address + size;
    while (at < end) {
      Allocation a = w.memory.find(at);
      if (a == null) {
        throw new LaneFault(
            700,
            line,
            lane,
            at,
            String.format(
                "illegal %s of %d bytes at 0x%x: nothing is at 0x%x (%s)",
                name, size, address, at, text));
      }
      int bytes = (int) Math.min(end - at, a.base() + a.size() - at);
      all.add(new BulkCopy.Piece(at - a.base() + a.host(), bytes));
      at += bytes;
    }
    BlockWatch watch = w.block.watch;
    if (watch != null && size > 0) {
      long[] seen = new long[Warp.LANES];
      seen[lane] = address;
      watch.access(w.index, this, kind, false, Space.GLOBAL, size, 1 << lane, seen);
    }
    return all;
  }

  void aligned(long address, int unit, int lane) {
    if (address % unit != 0) {
      throw new LaneFault(
          716,
          line,
          lane,
          space() == Space.GLOBAL ? address : 0,
          String.format(
              "misaligned %s at 0x%x: not a multiple of %d (%s)", name, address, unit, text));
    }
  }

  /** The blocks of the cluster that a mask of a lane names, checked. */
  static int blocks(Warp w, int register, int lane, Op op) {
    int mask = w.i[register][lane] & 0xffff;
    int count = w.block.cluster().blocks().length;
    if (mask >>> count != 0) {
      throw new LaneFault(
          719,
          op.line,
          lane,
          0,
          String.format("%s to blocks 0x%x of a cluster of %d", op.text, mask, count));
    }
    return mask;
  }

  /** The size of a copy of a lane, checked. */
  static int size(Warp w, int register, int lane, Op op) {
    int size = w.i[register][lane];
    if (size < 0 || size % UNIT != 0) {
      throw new LaneFault(
          719,
          op.line,
          lane,
          0,
          String.format(
              "%s of %s bytes, which is no multiple of 16",
              op.text, Integer.toUnsignedString(size)));
    }
    return size;
  }

  @Override
  public void run(Warp w, int m) {
    throw new IllegalStateException("part of another operation");
  }
}
