package dev.reprise.softgpu.engine.exec;

import dev.reprise.softgpu.engine.math.LaneWords;
import dev.reprise.softgpu.memory.Allocation;
import dev.reprise.softgpu.ptx.Space;
import org.jspecify.annotations.Nullable;

/**
 * An operation on memory. Addresses are checked for the warp as a whole by the least and the
 * greatest one; only when that does not settle it, lane by lane.
 */
public abstract class MemoryOp extends Op {
  /** All lanes access one address. */
  static final int UNIFORM = 0;

  /**
   * Lane k accesses {@code start + k * bytes}; only reported for a full mask, as is {@code
   * UNIFORM}.
   */
  static final int CONTIGUOUS = 1;

  static final int SCATTERED = 2;

  /** What {@link #window} answers where the lanes must be looked at one by one. */
  static final long NOWHERE = Long.MIN_VALUE;

  private final Space space;
  private final boolean wide;
  private final int register;
  private final long offset;
  private final String verb;
  private final BlockWatch.Access access;

  /** Whether it is memory that a {@link BlockWatch} sees. */
  private final boolean watched;

  /** Bytes of one lane's access. */
  protected final int bytes;

  /** k × bytes, to recognise contiguous addresses with. */
  private final long[] runs = new long[Warp.LANES];

  private final int[] intRuns = new int[Warp.LANES];

  /** Where the last access to memory of the device went: most stay in one allocation. */
  private @Nullable Allocation last;

  protected MemoryOp(MemoryAddress address, String verb) {
    space = address.space();
    wide = address.wide();
    register = address.register();
    offset = address.offset();
    bytes = address.bytes();
    this.verb = verb;
    watched =
        space == Space.GLOBAL
            || space == Space.SHARED
            || space == Space.SHARED_CLUSTER
            || space == Space.GENERIC;
    access =
        switch (verb) {
          case "read", "asynchronous read" -> BlockWatch.Access.READ;
          case "write" -> BlockWatch.Access.WRITE;
          case "asynchronous write" -> BlockWatch.Access.WRITE_LATER;
          default -> BlockWatch.Access.ATOMIC;
        };
    for (int k = 0; k < Warp.LANES; k++) {
      runs[k] = (long) k * bytes;
      intRuns[k] = k * bytes;
    }
  }

  /**
   * Finds where the active lanes access native memory. Unless the result is {@code SCATTERED},
   * {@link Warp#start} is the address of lane 0 and {@link Warp#address} is undefined; else the
   * latter holds the address of each active lane.
   *
   * @return how the addresses lie
   */
  final int resolve(Warp w, int m) {
    int shape = resolveWhole(w, m);
    if (shape == SCATTERED) {
      resolveLanes(w, m);
    }
    return shape;
  }

  /**
   * As {@link #resolve}, but leaves {@link Warp#address} as it is where the lanes are scattered.
   */
  final int resolveWhole(Warp w, int m) {
    if (m == -1 && (w.block.watch == null || !watched)) {
      int shape = wide ? shape(w.l[register]) : shape(w.i[register]);
      if (shape != SCATTERED) {
        long first =
            wide ? w.l[register][0] + offset : (w.i[register][0] + (int) offset) & 0xffff_ffffL;
        long at = locate(w, first, shape == UNIFORM ? bytes : bytes * Warp.LANES);
        if (at != 0) {
          w.start = at;
          return shape;
        }
      }
    }
    return SCATTERED;
  }

  /**
   * Where the lanes find native memory, if all 32 are active and what they access from {@code lo}
   * to {@code hi} beyond their addresses lies in one piece of memory.
   *
   * @param alignment low bits that no address may have
   * @return what to add to an address to get the native one, or {@link #NOWHERE}; else {@link
   *     Warp#least} and {@link Warp#most} are the limits of the register's addresses
   */
  final long window(Warp w, int m, long lo, long hi, int alignment) {
    if (m != -1) {
      return NOWHERE;
    }
    long least = Long.MAX_VALUE;
    long most = Long.MIN_VALUE;
    long low = 0;
    long[] s = bases(w);
    for (int k = 0; k < Warp.LANES; k++) {
      least = Math.min(least, s[k]);
      most = Math.max(most, s[k]);
      low |= s[k];
    }
    w.least = least;
    w.most = most;
    long from = least + lo;
    long span = most - least + (hi - lo);
    if (least < 0 || span < 0 || (low & alignment) != 0) {
      return NOWHERE;
    }
    return switch (space) {
      case GLOBAL, CONST, GENERIC -> {
        Allocation c = allocation(w, from, span);
        yield c == null ? NOWHERE : c.host() - c.base();
      }
      case SHARED -> from >= 0 && from + span <= w.block.sharedBytes ? w.block.shared : NOWHERE;
      default -> NOWHERE;
    };
  }

  /**
   * Copies what generated code loads by the register of the address, from {@code lo} to {@code hi}
   * beyond it, for all lanes.
   *
   * @param alignment low bits that no address may have
   * @param slot number of the register in the loop
   * @return whether it has; where not, the lanes must be looked at one by one
   */
  final boolean gather(
      Warp w, int m, long lo, long hi, int alignment, RegisterKind kind, int slot) {
    long window = window(w, m, lo, hi, alignment);
    if (window == NOWHERE) {
      return false;
    }
    long[] addresses = wide ? w.l[register] : w.address;
    w.gathered.gather(addresses, window + lo, w.least, w.most, (int) (hi - lo), kind, slot);
    return true;
  }

  /**
   * Finds where what the lanes access from {@code lo} to {@code hi} beyond their addresses is, for
   * {@link LaneWords}, and leaves it in {@link Gathered#windows}: {@link #NOWHERE} if it may not
   * be, or if the lanes of a step do not access {@link #bytes} side by side.
   */
  final void find(Warp w, int m, long lo, long hi, int slot) {
    boolean beside = m == -1 && LaneWords.beside(bases(w), bytes);
    w.gathered.windows[slot] = beside ? window(w, m, lo, hi, bytes - 1) : NOWHERE;
  }

  /**
   * Whether it moves words of one class with no order to keep, so that {@link #beside} can do it.
   */
  boolean movesWords() {
    return false;
  }

  /** Whether each access is in memory that {@link #find} can find, and is where it may be. */
  final boolean findable() {
    return guard < 0
        && offset % bytes == 0
        && switch (space) {
          case GLOBAL, CONST, GENERIC, SHARED -> true;
          case LOCAL, PARAM, SHARED_CLUSTER -> false;
        };
  }

  /**
   * Runs it by the Vector API where {@link #find} has found that it can.
   *
   * @param slot of what was found
   */
  final void runBeside(Warp w, int m, int slot) {
    long window = w.gathered.windows[slot];
    if (window == NOWHERE) {
      run(w, m);
    } else {
      beside(w, bases(w), window + offset);
    }
  }

  /** Moves words by the Vector API, those of each lane at its address plus {@code at}. */
  void beside(Warp w, long[] addresses, long at) {
    throw new IllegalStateException(text);
  }

  /** What the register holds in each lane; left in {@link Warp#address} if it is of 32 bits. */
  final long[] bases(Warp w) {
    if (wide) {
      return w.l[register];
    }
    int[] s = w.i[register];
    long[] extended = w.address;
    for (int k = 0; k < Warp.LANES; k++) {
      extended[k] = s[k] & 0xffff_ffffL;
    }
    return extended;
  }

  private int shape(long[] s) {
    long first = s[0];
    long span = s[Warp.LANES - 1] - first;
    long different = 0;
    if (span == 0) {
      for (int k = 0; k < Warp.LANES; k++) {
        different |= s[k] ^ first;
      }
      return different == 0 ? UNIFORM : SCATTERED;
    }
    if (span != (Warp.LANES - 1L) * bytes) {
      return SCATTERED;
    }
    long[] run = runs;
    for (int k = 0; k < Warp.LANES; k++) {
      different |= (s[k] - first) ^ run[k];
    }
    return different == 0 ? CONTIGUOUS : SCATTERED;
  }

  private int shape(int[] s) {
    int first = s[0];
    int span = s[Warp.LANES - 1] - first;
    int different = 0;
    if (span == 0) {
      for (int k = 0; k < Warp.LANES; k++) {
        different |= s[k] ^ first;
      }
      return different == 0 ? UNIFORM : SCATTERED;
    }
    if (span != (Warp.LANES - 1) * bytes) {
      return SCATTERED;
    }
    int[] run = intRuns;
    for (int k = 0; k < Warp.LANES; k++) {
      different |= (s[k] - first) ^ run[k];
    }
    return different == 0 ? CONTIGUOUS : SCATTERED;
  }

  /**
   * Native address of {@code span} bytes at an address of the space, or 0 where the lanes must be
   * looked at one by one.
   */
  private long locate(Warp w, long at, int span) {
    if ((at & (bytes - 1)) != 0) {
      return 0;
    }
    return switch (space) {
      case GLOBAL, CONST -> device(w, at, span);
      case GENERIC ->
          Windows.in(at, Windows.SHARED)
              ? within(at - Windows.SHARED, span, w.block.shared, w.block.sharedBytes)
              : device(w, at, span);
      case SHARED, SHARED_CLUSTER -> within(at, span, w.block.shared, w.block.sharedBytes);
      case PARAM -> within(at, span, w.block.parameters, w.block.parameterBytes);
      case LOCAL -> 0;
    };
  }

  private long device(Warp w, long at, int span) {
    Allocation c = allocation(w, at, span);
    return c == null ? 0 : at - c.base() + c.host();
  }

  /** The allocation that holds all of a range, if the device can access it; else null. */
  private @Nullable Allocation allocation(Warp w, long at, long span) {
    Allocation known = last;
    if (known != null && known.contains(at, span) && known.live() && known.open()) {
      return known;
    }
    Allocation found = w.memory.find(at);
    if (found == null || !found.contains(at, span)) {
      return null;
    }
    // Access to memory of other devices can end at any time, which the allocation does not show.
    if (w.memory.own(at) == found) {
      last = found;
    }
    return found;
  }

  private static long within(long at, int span, long base, int size) {
    return at >= 0 && at <= size - span ? base + at : 0;
  }

  /** Puts the native address of each active lane into {@link Warp#address}. */
  final void resolveLanes(Warp w, int m) {
    BlockWatch watch = w.block.watch;
    addresses(w, w.address);
    if (watch == null || !watched) {
      checkLanes(w, m);
    } else {
      long[] seen = w.address.clone();
      checkLanes(w, m);
      int near = m & ~watchOthers(w, m, seen);
      if (near != 0) {
        Space own = space == Space.SHARED_CLUSTER ? Space.SHARED : space;
        watch.access(w.index, this, access, strong(), own, bytes, near, seen);
      }
    }
  }

  /**
   * Lets other blocks of the cluster see accesses to their shared memory. Addresses there become
   * offsets, and those that name the own block become plain ones.
   *
   * @return the lanes of such accesses
   */
  private int watchOthers(Warp w, int m, long[] seen) {
    if (space != Space.SHARED_CLUSTER && space != Space.GENERIC) {
      return 0;
    }
    long window = space == Space.GENERIC ? Windows.SHARED : 0;
    int[] lanes = new int[w.block.cluster().blocks().length];
    int others = 0;
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      if (Windows.in(seen[lane], window)) {
        long at = seen[lane] - window;
        Block b = blockOf(w, at, lane);
        boolean own = b == w.block;
        seen[lane] = Cluster.offset(at) + (own ? window : 0);
        if (!own) {
          others |= 1 << lane;
          lanes[b.rank()] |= 1 << lane;
        }
      }
    }
    for (int rank = 0; rank < lanes.length; rank++) {
      if (lanes[rank] != 0) {
        watchRemote(w, w.block.cluster().blocks()[rank], bytes, lanes[rank], seen);
      }
    }
    return others;
  }

  /** Lets another block of the cluster see accesses to its shared memory. */
  final void watchRemote(Warp w, Block b, int size, int lanes, long[] offsets) {
    BlockWatch own = w.block.watch;
    BlockWatch other = b.watch;
    if (own != null && other != null) {
      other.remote(own, w.index, this, access, strong(), size, lanes, offsets);
    }
  }

  /** Whether the access synchronises with others. */
  boolean strong() {
    return access == BlockWatch.Access.ATOMIC;
  }

  /** Turns the addresses of the active lanes in {@link Warp#address} into native ones. */
  private void checkLanes(Warp w, int m) {
    long[] a = w.address;
    long lo = Long.MAX_VALUE;
    long hi = Long.MIN_VALUE;
    long low = 0;
    for (int rest = m; rest != 0; rest &= rest - 1) {
      long x = a[Integer.numberOfTrailingZeros(rest)];
      lo = Math.min(lo, x);
      hi = Math.max(hi, x);
      low |= x;
    }
    if ((low & (bytes - 1)) != 0) {
      throw misaligned(a, m);
    }
    long delta;
    switch (space) {
      case GLOBAL, CONST, GENERIC -> {
        long span = hi - lo + bytes;
        Allocation c = span > 0 ? allocation(w, lo, span) : null;
        if (c == null) {
          laneByLane(w, a, m);
          return;
        }
        delta = c.host() - c.base();
      }
      case SHARED -> {
        if (lo < 0 || hi > w.block.sharedBytes - bytes) {
          throw outside(a, m, w.block.sharedBytes, "shared memory of the block");
        }
        delta = w.block.shared;
      }
      case SHARED_CLUSTER -> {
        for (int rest = m; rest != 0; rest &= rest - 1) {
          int k = Integer.numberOfTrailingZeros(rest);
          a[k] = inCluster(w, a[k], k);
        }
        return;
      }
      case PARAM -> {
        if (lo < 0 || hi > w.block.parameterBytes - bytes) {
          throw outside(a, m, w.block.parameterBytes, "parameters of the kernel");
        }
        delta = w.block.parameters;
      }
      case LOCAL -> {
        if (lo < 0 || hi > w.block.localBytes - bytes) {
          throw outside(a, m, w.block.localBytes, "local memory of the thread");
        }
        for (int k = 0; k < Warp.LANES; k++) {
          a[k] += localBase(w, k);
        }
        return;
      }
      default -> throw new AssertionError(space);
    }
    for (int k = 0; k < Warp.LANES; k++) {
      a[k] += delta;
    }
  }

  /** What is added to the register. */
  final long offset() {
    return offset;
  }

  /** The register that holds the addresses. */
  final Register base() {
    return new Register(wide ? RegisterKind.LONG : RegisterKind.INT, register);
  }

  /** Where it accesses memory. */
  final Space space() {
    return space;
  }

  /** The address of each lane in the space of the operand. */
  void addresses(Warp w, long[] a) {
    if (wide) {
      long[] s = w.l[register];
      for (int k = 0; k < Warp.LANES; k++) {
        a[k] = s[k] + offset;
      }
    } else {
      int[] s = w.i[register];
      int o = (int) offset;
      for (int k = 0; k < Warp.LANES; k++) {
        a[k] = (s[k] + o) & 0xffff_ffffL;
      }
    }
  }

  private static long localBase(Warp w, int lane) {
    return w.block.localOf(w, lane);
  }

  /** Global addresses in more than one allocation, and generic ones of other spaces. */
  private void laneByLane(Warp w, long[] a, int m) {
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int k = Integer.numberOfTrailingZeros(rest);
      long x = a[k];
      if (space == Space.GENERIC && Windows.in(x, Windows.SHARED)) {
        a[k] = inCluster(w, x - Windows.SHARED, k);
      } else if (space == Space.GENERIC && Windows.in(x, Windows.LOCAL)) {
        a[k] =
            window(
                x - Windows.LOCAL,
                localBase(w, k),
                w.block.localBytes,
                k,
                "local memory of the thread");
      } else if (space == Space.GENERIC && Windows.in(x, Windows.PARAM)) {
        a[k] =
            window(
                x - Windows.PARAM,
                w.block.parameters,
                w.block.parameterBytes,
                k,
                "parameters of the kernel");
      } else {
        Allocation c = w.memory.find(x);
        if (c == null || !c.contains(x, bytes)) {
          throw new LaneFault(
              700,
              line,
              k,
              x,
              String.format("illegal %s of %d bytes at 0x%x (%s)", verb, bytes, x, text));
        }
        a[k] = x - c.base() + c.host();
      }
    }
  }

  private long window(long at, long base, int size, int lane, String what) {
    if (at > size - bytes) {
      throw outside(at, lane, size, what);
    }
    return base + at;
  }

  /** Native address of an access to shared memory of some block of the cluster. */
  private long inCluster(Warp w, long at, int lane) {
    Block b = blockOf(w, at, lane);
    long offset = Cluster.offset(at);
    if (offset > b.sharedBytes - bytes) {
      String whose = b == w.block ? "the block" : "block " + b.rank() + " of the cluster";
      throw outside(offset, lane, b.sharedBytes, "shared memory of " + whose);
    }
    return b.shared + offset;
  }

  /** Whether an address of the operand's space lies in shared memory of the own block. */
  final boolean inOwnBlock(Warp w, long address) {
    long at = space == Space.GENERIC ? address - Windows.SHARED : address;
    return space == Space.SHARED
        || (Windows.in(at, 0) && Cluster.rank(at, w.block.rank()) == w.block.rank());
  }

  /** The block whose shared memory an address lies in. */
  final Block blockOf(Warp w, long at, int lane) {
    if (!Windows.in(at, 0)) {
      throw outside(at, lane, w.block.sharedBytes, "shared memory of the block");
    }
    Block[] blocks = w.block.cluster().blocks();
    int rank = Cluster.rank(at, w.block.rank());
    if (rank >= blocks.length) {
      throw new LaneFault(
          700,
          line,
          lane,
          0,
          String.format(
              "illegal %s of %d bytes of shared memory of block %d of a cluster of %d (%s)",
              verb, bytes, rank, blocks.length, text));
    }
    if (blocks[rank] != w.block && blocks[rank].ended()) {
      throw new LaneFault(
          719,
          line,
          lane,
          0,
          String.format(
              "%s of shared memory of block %d of the cluster, which has ended (%s)",
              verb, rank, text));
    }
    return blocks[rank];
  }

  private LaneFault outside(long at, int lane, int size, String what) {
    return new LaneFault(
        700,
        line,
        lane,
        0,
        String.format(
            "illegal %s of %d bytes at 0x%x of the %s, which has %d bytes (%s)",
            verb, bytes, at, what, size, text));
  }

  private LaneFault outside(long[] a, int m, int size, String what) {
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int k = Integer.numberOfTrailingZeros(rest);
      if (a[k] < 0 || a[k] > size - bytes) {
        return outside(a[k], k, size, what);
      }
    }
    throw new AssertionError("no lane is outside");
  }

  private LaneFault misaligned(long[] a, int m) {
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int k = Integer.numberOfTrailingZeros(rest);
      if ((a[k] & (bytes - 1)) != 0) {
        boolean device = space == Space.GLOBAL || space == Space.CONST || space == Space.GENERIC;
        return new LaneFault(
            716,
            line,
            k,
            device ? a[k] : 0,
            String.format("misaligned %s of %d bytes at 0x%x (%s)", verb, bytes, a[k], text));
      }
    }
    throw new AssertionError("no lane is misaligned");
  }
}
