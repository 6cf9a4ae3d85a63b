package dev.reprise.softgpu.engine.exec;

/**
 * How a sparse matrix of 16 rows is described (PTX ISA, "Matrix fragments for multiply-accumulate
 * operation with sparse matrix A"). A row is made of chunks, each with four bits of metadata. The
 * manual draws which lane has which of them; others have measured it for m16n8k32 of 16 bits and
 * m16n8k64 of 8 bits, and other shapes are these or their first halves.
 *
 * @param columns of the matrix with its zeros
 * @param perChunk elements of a chunk that are held: one of two, two of four, or four of eight
 * @param byRows whether a lane holds metadata of one row, eight chunks of it; else of four chunks,
 *     of a row and of the one eight below
 */
public record SparseLayout(int columns, int perChunk, boolean byRows) {

  /** The layout for elements of that type. */
  public static SparseLayout of(MatrixElement type, int columns) {
    int perChunk = type.bits() == 32 ? 1 : type.bits() == 4 ? 4 : 2;
    return new SparseLayout(columns, perChunk, type.bits() <= 8);
  }

  /** Chunks of a row. */
  private int chunks() {
    return columns / (2 * perChunk);
  }

  /** How many lanes of four give metadata: 1, 2 or 4. */
  public int givers() {
    return 16 * chunks() * 4 / 32 / 8;
  }

  /** The values that the sparsity selector can have are 0 to one below this. */
  public int selectors() {
    return 4 / givers();
  }

  /** The chunk to which a held element belongs. */
  int chunk(int held) {
    return held / perChunk;
  }

  /** The lane that gives the metadata of a chunk. */
  int lane(int row, int chunk, int selector) {
    int within = byRows ? row / 8 + 2 * (chunk / 8) : chunk / 4;
    return row % 8 * 4 + selector * givers() + within;
  }

  /** The lowest of the four bits, in that lane's metadata. */
  int bit(int row, int chunk) {
    return byRows ? chunk % 8 * 4 : chunk % 4 * 4 + row / 8 * 16;
  }

  /** The column, zeros counted, of a held element whose chunk has these four bits. */
  int column(int held, int indices) {
    int first = chunk(held) * 2 * perChunk;
    int part = held % perChunk;
    return switch (perChunk) {
      // An element of 32 bits is named by its two halves: 0b0100 or 0b1110.
      case 1 -> first + (indices >>> 1 & 1);
      case 2 -> first + (indices >>> 2 * part & 3);
      default -> first + 2 * (indices >>> 2 * (part / 2) & 3) + part % 2;
    };
  }
}
