package dev.reprise.softgpu.engine.exec;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** {@code shfl.sync} (PTX ISA, "shfl.sync"). */
public final class ShuffleOp extends SyncOp {
  /** Which lane a lane reads. */
  public enum Mode {
    UP,
    DOWN,
    BFLY,
    IDX
  }

  private final Mode mode;
  private final int to;
  private final int inRange;
  private final int from;
  private final int offset;
  private final int clampAndSegment;

  /**
   * Which lane each lane reads for a distance and a clamp that are the same in all lanes.
   *
   * @param valid the lanes that are in range; the others read themselves
   */
  private record Sources(int distance, int clampAndSegment, int[] from, int valid) {}

  /** The last ones, which most often are the next ones, too. */
  private @Nullable Sources sources;

  /** Whether they are always the same. */
  private boolean constant;

  /**
   * @param to int array for the result
   * @param inRange predicate that tells whether the source lane was in range, or -1
   * @param from int array with the values
   * @param offset int array with the lane or distance
   * @param clampAndSegment int array with clamp (bits 0 to 4) and segment mask (bits 8 to 12)
   */
  public ShuffleOp(
      Mode mode, int to, int inRange, int from, int offset, int clampAndSegment, int members) {
    super(members);
    this.mode = mode;
    this.to = to;
    this.inRange = inRange;
    this.from = from;
    this.offset = offset;
    this.clampAndSegment = clampAndSegment;
  }

  /**
   * Tells that distance and clamp are constants.
   *
   * @return this
   */
  public ShuffleOp constant() {
    constant = true;
    return this;
  }

  /** The sources of lanes that all name the same. */
  private Sources sources(int distance, int clamp) {
    Sources last = sources;
    if (last != null && last.distance == distance && last.clampAndSegment == clamp) {
      return last;
    }
    int[] from = new int[Warp.LANES];
    int valid = 0;
    for (int lane = 0; lane < Warp.LANES; lane++) {
      int source = source(lane, distance & 31, clamp);
      from[lane] = source >= 0 ? source : lane;
      valid |= source >= 0 ? 1 << lane : 0;
    }
    Sources found = new Sources(distance, clamp, from, valid);
    sources = found;
    return found;
  }

  private static boolean uniform(int[] values) {
    return all(values, values[0]);
  }

  private static boolean all(int[] values, int value) {
    int different = 0;
    for (int k = 0; k < Warp.LANES; k++) {
      different |= values[k] ^ value;
    }
    return different == 0;
  }

  /** The lane that a lane reads, or -1 where it is out of range. */
  private int source(int lane, int n, int clampAndSegmentBits) {
    int clamp = clampAndSegmentBits & 31;
    int segment = clampAndSegmentBits >>> 8 & 31;
    int last = (lane & segment) | (clamp & ~segment);
    return switch (mode) {
      case UP -> lane - n >= last ? lane - n : -1;
      case DOWN -> lane + n <= last ? lane + n : -1;
      case BFLY -> (lane ^ n) <= last ? lane ^ n : -1;
      case IDX -> {
        int wanted = (lane & segment) | (n & ~segment);
        yield wanted <= last ? wanted : -1;
      }
    };
  }

  /**
   * By which number that of the other lane differs, where lanes exchange their values in pairs;
   * else 0.
   */
  int exchange(Program program) {
    boolean pairs =
        mode == Mode.BFLY
            && inRange < 0
            && program.constant(new Register(RegisterKind.INT, clampAndSegment))
                instanceof Integer c
            && (c & 31) == 31;
    return pairs && program.constant(new Register(RegisterKind.INT, offset)) instanceof Integer n
        ? n & 31
        : 0;
  }

  /** Array of the values that the lanes exchange. */
  int from() {
    return from;
  }

  /** Array of the result. */
  int to() {
    return to;
  }

  @Override
  Set<Register> destinations() {
    return Set.of(new Register(RegisterKind.INT, to));
  }

  @Override
  Set<Register> sources() {
    Set<Register> all = new HashSet<>();
    for (int source : new int[] {from, offset, clampAndSegment, members}) {
      all.add(new Register(RegisterKind.INT, source));
    }
    return all;
  }

  private void absent(Warp w, int lane, int source) {
    BlockWatch watch = w.block.watch;
    if (watch != null) {
      watch.absent(w.index, lane, source, this);
    }
  }

  @Override
  protected void together(Warp w, int set, int named) {
    int[] values = w.intScratch;
    System.arraycopy(w.i[from], 0, values, 0, Warp.LANES);
    int[] d = w.i[to];
    int valid = 0;
    int[] b = w.i[offset];
    int[] c = w.i[clampAndSegment];
    if (set == -1 && (constant || uniform(b) && uniform(c))) {
      Sources known = sources(b[0], c[0]);
      int[] lanes = known.from;
      for (int k = 0; k < Warp.LANES; k++) {
        d[k] = values[lanes[k]];
      }
      valid = known.valid;
    } else if (set == -1 && mode == Mode.IDX && all(c, Warp.LANES - 1)) {
      for (int k = 0; k < Warp.LANES; k++) {
        d[k] = values[b[k] & (Warp.LANES - 1)];
      }
      valid = -1;
    } else {
      for (int rest = set; rest != 0; rest &= rest - 1) {
        int lane = Integer.numberOfTrailingZeros(rest);
        int source = source(lane, b[lane] & 31, c[lane]);
        d[lane] = values[source >= 0 ? source : lane];
        if (source >= 0 && (set >>> source & 1) == 0) {
          absent(w, lane, source);
        }
        valid |= source >= 0 ? 1 << lane : 0;
      }
    }
    if (inRange >= 0) {
      w.p[inRange] = (w.p[inRange] & ~set) | valid;
    }
  }
}
