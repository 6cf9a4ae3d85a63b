package dev.reprise.softgpu.driver.sanitizer;

import dev.reprise.softgpu.engine.exec.BlockWatch.Access;
import dev.reprise.softgpu.engine.exec.Op;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The accesses of one block to its shared memory. Two accesses of a byte by two threads, one of
 * which writes, need a barrier of the block between them, or of the warp where both are in one.
 * Atomic and other strong accesses do not race with each other, and two threads that have both made
 * one since count as synchronised by it. Lanes that store to one byte by one instruction are not
 * reported. What an asynchronous copy is about to write may not be touched before it has arrived,
 * not even by the thread that began it, and what one is about to read may not be written.
 *
 * <p>Threads of other blocks of the cluster access it too. Between theirs and those of the block
 * there must be a barrier of the cluster, or strong accesses by both blocks.
 */
final class SharedWatch {

  private static final int LANES = 32;
  private static final int MOST_THREADS = 1024;

  /** The order of all accesses of one launch. */
  static final class Clock {
    private long time;
  }

  /** One execution of an instruction by a warp. */
  private record Moment(
      Op op,
      Access access,
      boolean strong,
      SharedWatch by,
      int warp,
      int epoch,
      int warpEpoch,
      int clusterEpoch,
      long time) {

    String thread(int lane) {
      return by.names.of(warp, lane);
    }
  }

  private final KernelReports reports;
  private final ThreadNames names;

  /** When each thread has made its last strong access here; empty until one is asked for. */
  private long[] lastStrong = {};

  private final int[] warpEpochs = new int[MOST_THREADS / LANES];
  private int epoch;
  private int clusterEpoch;
  private final Clock clock;

  /** When some thread of the block has made its last strong access, to whatever memory. */
  private long lastStrongOfAny = -1;

  private boolean[] written = {};
  private @Nullable Moment[] writes = {};
  private byte[] writers = {};
  private @Nullable Moment[] reads = {};
  private byte[] readers = {};
  private @Nullable Moment[] otherReads = {};
  private byte[] otherReaders = {};

  /** What is on its way to each byte. */
  private @Nullable Moment[] pending = {};

  private byte[] senders = {};

  /** What is to be read of each byte later. */
  private @Nullable Moment[] sending = {};

  private byte[] takers = {};

  SharedWatch(KernelReports reports, ThreadNames names, Clock clock) {
    this.reports = reports;
    this.names = names;
    this.clock = clock;
  }

  private long[] lastStrong() {
    if (lastStrong.length == 0) {
      lastStrong = new long[MOST_THREADS];
      Arrays.fill(lastStrong, -1);
    }
    return lastStrong;
  }

  /** A thread of the block makes a strong access to other memory. */
  void strong() {
    lastStrongOfAny = ++clock.time;
  }

  void clusterBarrier() {
    epoch++;
    clusterEpoch++;
  }

  void barrier() {
    epoch++;
  }

  void warpMet(int warp) {
    warpEpochs[warp]++;
  }

  /**
   * Lanes of a warp access it.
   *
   * @param by what sees their block
   */
  void access(
      SharedWatch by,
      int warp,
      Op op,
      Access access,
      boolean strong,
      int bytes,
      int lanes,
      long[] addresses) {
    room();
    Moment now = moment(by, warp, op, access, strong, ++clock.time);
    boolean reads = !access.writes() || access == Access.ATOMIC && !initialises(op);
    for (int rest = lanes; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      int start = (int) addresses[lane];
      for (int at = start; at < start + bytes; at++) {
        if (reads && !written[at]) {
          reports.uninitialisedShared(op, now.thread(lane), by.names.block(), start, bytes);
        }
        check(at, now, lane);
      }
    }
    for (int rest = lanes; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      int start = (int) addresses[lane];
      for (int at = start; at < start + bytes; at++) {
        note(at, now, lane);
      }
      if (strong) {
        by.lastStrong()[warp * LANES + lane] = now.time;
        by.lastStrongOfAny = now.time;
      }
    }
  }

  private Moment moment(SharedWatch by, int warp, Op op, Access access, boolean strong, long time) {
    return new Moment(
        op, access, strong, by, warp, by.epoch, by.warpEpochs[warp], clusterEpoch, time);
  }

  private static boolean initialises(Op op) {
    return op.text().startsWith("mbarrier");
  }

  private void room() {
    if (written.length == 0) {
      int size = names.shape().sharedBytes();
      written = new boolean[size];
      writes = new Moment[size];
      writers = new byte[size];
      reads = new Moment[size];
      readers = new byte[size];
      otherReads = new Moment[size];
      otherReaders = new byte[size];
      pending = new Moment[size];
      senders = new byte[size];
      sending = new Moment[size];
      takers = new byte[size];
    }
  }

  /** What a lane began to write is there: for others as if it had been written now. */
  void arrived(int warp, int lane, Op op, int address, int bytes, boolean awaited) {
    Moment now = moment(this, warp, op, Access.WRITE, false, awaited ? ++clock.time : 0);
    for (int at = address; at < address + bytes; at++) {
      pending[at] = null;
      if (awaited) {
        note(at, now, lane);
      }
    }
  }

  /** What a lane began to read has been read: for others as if it had been read now. */
  void taken(int warp, int lane, Op op, int address, int bytes, boolean awaited) {
    Moment now = moment(this, warp, op, Access.READ, false, awaited ? ++clock.time : 0);
    for (int at = address; at < address + bytes; at++) {
      sending[at] = null;
      if (awaited) {
        note(at, now, lane);
      }
    }
  }

  private void check(int at, Moment now, int lane) {
    Moment coming = pending[at];
    if (coming != null) {
      reports.early(
          now.op,
          coming.op,
          now.access,
          now.thread(lane),
          otherThread(coming, senders[at], now),
          now.by.names.block(),
          at);
      return;
    }
    compare(writes[at], writers[at], now, lane, at);
    if (now.access.writes()) {
      Moment leaving = sending[at];
      if (leaving != null && leaving != now) {
        reports.overwritten(
            now.op,
            leaving.op,
            now.access,
            now.thread(lane),
            otherThread(leaving, takers[at], now),
            now.by.names.block(),
            at);
        return;
      }
      compare(reads[at], readers[at], now, lane, at);
      compare(otherReads[at], otherReaders[at], now, lane, at);
    }
  }

  private void compare(@Nullable Moment before, int lane, Moment now, int nowLane, int at) {
    if (before == null || before == now || (before.strong && now.strong)) {
      return;
    }
    boolean ordered =
        before.by == now.by ? ordered(before, lane, now, nowLane) : orderedBlocks(before, now);
    if (ordered) {
      return;
    }
    reports.sharedRace(
        now.op,
        before.op,
        now.access,
        before.access,
        now.thread(nowLane),
        otherThread(before, lane, now),
        now.by.names.block(),
        at);
  }

  /** Of two threads of one block. */
  private static boolean ordered(Moment before, int lane, Moment now, int nowLane) {
    if (before.epoch != now.epoch
        || (before.warp == now.warp && (lane == nowLane || before.warpEpoch != now.warpEpoch))) {
      return true;
    }
    long[] strong = now.by.lastStrong();
    return strong[before.warp * LANES + lane] > before.time
        && strong[now.warp * LANES + nowLane] > before.time;
  }

  /** Of threads of two blocks: what one thread knows its block may have passed on to others. */
  private static boolean orderedBlocks(Moment before, Moment now) {
    return before.clusterEpoch != now.clusterEpoch
        || (before.by.lastStrongOfAny > before.time && now.by.lastStrongOfAny > before.time);
  }

  private static String otherThread(Moment other, int lane, Moment now) {
    String thread = other.thread(lane);
    return other.by == now.by ? thread : thread + " of block " + other.by.names.block();
  }

  private void note(int at, Moment now, int lane) {
    if (now.access.writes()) {
      written[at] = true;
      writes[at] = now;
      writers[at] = (byte) lane;
      if (now.access == Access.WRITE_LATER) {
        pending[at] = now;
        senders[at] = (byte) lane;
      }
      return;
    }
    if (now.access == Access.READ_LATER) {
      sending[at] = now;
      takers[at] = (byte) lane;
    }
    Moment read = reads[at];
    boolean same =
        read != null && read.by == now.by && read.warp == now.warp && readers[at] == lane;
    boolean past =
        read == null
            || (read.by == now.by
                ? read.epoch != now.epoch
                : read.clusterEpoch != now.clusterEpoch);
    if (past || same) {
      reads[at] = now;
      readers[at] = (byte) lane;
    } else {
      otherReads[at] = now;
      otherReaders[at] = (byte) lane;
    }
  }
}
