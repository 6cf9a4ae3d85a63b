package dev.reprise.softgpu.engine.exec;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import dev.reprise.softgpu.memory.HostMemory;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * What the loads of one generated loop find, copied before it begins: a loop that reads arrays is
 * much less for the JIT to compile than one that reads native memory. Lanes whose memory is close
 * together are copied together.
 */
final class Gathered {
  /** Registers with addresses that one loop can load by. */
  static final int MOST_BASES = 12;

  /** What one lane may load by one register is not longer than this, in bytes. */
  static final int LONGEST = 1024;

  /** Memory of all lanes that is not longer than this is copied as a whole, in bytes. */
  private static final int WHOLE = 6 << 10;

  /** Bytes that nobody asks for and are copied rather than that a copy begins anew. */
  private static final int GAP = 64;

  /** Where each lane finds what its address is for, 32 lanes for each register. */
  final int[] at = new int[MOST_BASES * Warp.LANES];

  /** For code of the Vector API: what to add to the addresses to get native ones. */
  final long[] windows = new long[MOST_BASES];

  float[] floats = new float[0];
  int[] ints = new int[0];
  long[] longs = new long[0];
  double[] doubles = new double[0];

  private int used;

  /**
   * Copies what the lanes load by one register.
   *
   * @param addresses of the lanes, to which {@code delta} is added to get the native ones of what
   *     they load first
   * @param least the least of the addresses
   * @param most the greatest
   * @param length bytes that each lane loads, a multiple of the element's size
   * @param slot number of the register in the loop; the first drops what other loops loaded
   */
  void gather(
      long[] addresses,
      long delta,
      long least,
      long most,
      int length,
      RegisterKind kind,
      int slot) {
    used = slot == 0 ? 0 : used;
    if (most - least + length > WHOLE) {
      pieces(addresses, delta, length, kind, slot);
      return;
    }
    int shift = shift(kind);
    int first = slot * Warp.LANES;
    int place = used;
    int[] places = at;
    for (int k = 0; k < Warp.LANES; k++) {
      places[first + k] = place + ((int) (addresses[k] - least) >> shift);
    }
    copy(least + delta, most + delta + length, kind);
  }

  /** Copies the memory of lanes that lie far apart. */
  private void pieces(long[] addresses, long delta, int length, RegisterKind kind, int slot) {
    int shift = shift(kind);
    int first = slot * Warp.LANES;
    long start = addresses[0] + delta;
    long end = start + length;
    at[first] = used;
    for (int k = 1; k < Warp.LANES; k++) {
      long from = addresses[k] + delta;
      if (from < start || from > end + GAP) {
        copy(start, end, kind);
        start = from;
        end = from + length;
      } else {
        end = Math.max(end, from + length);
      }
      at[first + k] = used + (int) ((from - start) >> shift);
    }
    copy(start, end, kind);
  }

  private static int shift(RegisterKind kind) {
    return kind == RegisterKind.LONG || kind == RegisterKind.DOUBLE ? 3 : 2;
  }

  private void copy(long start, long end, RegisterKind kind) {
    int n = (int) (end - start >> shift(kind));
    int from = used;
    used += n;
    switch (kind) {
      case FLOAT -> {
        floats = floats.length < used ? Arrays.copyOf(floats, 2 * used) : floats;
        MemorySegment.copy(HostMemory.ALL, JAVA_FLOAT_UNALIGNED, start, floats, from, n);
      }
      case INT -> {
        ints = ints.length < used ? Arrays.copyOf(ints, 2 * used) : ints;
        MemorySegment.copy(HostMemory.ALL, JAVA_INT_UNALIGNED, start, ints, from, n);
      }
      case LONG -> {
        longs = longs.length < used ? Arrays.copyOf(longs, 2 * used) : longs;
        MemorySegment.copy(HostMemory.ALL, JAVA_LONG_UNALIGNED, start, longs, from, n);
      }
      case DOUBLE -> {
        doubles = doubles.length < used ? Arrays.copyOf(doubles, 2 * used) : doubles;
        MemorySegment.copy(HostMemory.ALL, JAVA_DOUBLE_UNALIGNED, start, doubles, from, n);
      }
      case PREDICATE -> throw new AssertionError(kind);
    }
  }
}
