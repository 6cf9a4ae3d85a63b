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
 * not even by the thread that began it.
 */
final class SharedWatch {

  private static final int LANES = 32;
  private static final int MOST_THREADS = 1024;

  /** One execution of an instruction by a warp. */
  private record Moment(
      Op op, Access access, boolean strong, int warp, int epoch, int warpEpoch, long time) {}

  private final KernelReports reports;
  private final ThreadNames names;
  private long[] lastStrong = {};
  private final int[] warpEpochs = new int[MOST_THREADS / LANES];
  private int epoch;
  private long time;

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

  SharedWatch(KernelReports reports, ThreadNames names) {
    this.reports = reports;
    this.names = names;
  }

  void barrier() {
    epoch++;
  }

  void warpMet(int warp) {
    warpEpochs[warp]++;
  }

  void access(
      int warp, Op op, Access access, boolean strong, int bytes, int lanes, long[] addresses) {
    room();
    Moment now = new Moment(op, access, strong, warp, epoch, warpEpochs[warp], ++time);
    boolean reads = access == Access.READ || access == Access.ATOMIC && !initialises(op);
    for (int rest = lanes; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      int start = (int) addresses[lane];
      for (int at = start; at < start + bytes; at++) {
        if (reads && !written[at]) {
          reports.uninitialisedShared(op, names.of(warp, lane), names.block(), start, bytes);
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
        lastStrong[warp * LANES + lane] = time;
      }
    }
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
      lastStrong = new long[MOST_THREADS];
      Arrays.fill(lastStrong, -1);
    }
  }

  /** What a lane began to write is there: for others as if it had been written now. */
  void arrived(int warp, int lane, Op op, int address, int bytes, boolean awaited) {
    Moment now =
        new Moment(op, Access.WRITE, false, warp, epoch, warpEpochs[warp], awaited ? ++time : 0);
    for (int at = address; at < address + bytes; at++) {
      pending[at] = null;
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
          names.of(now.warp, lane),
          names.of(coming.warp, senders[at]),
          names.block(),
          at);
      return;
    }
    compare(writes[at], writers[at], now, lane, at);
    if (now.access != Access.READ) {
      compare(reads[at], readers[at], now, lane, at);
      compare(otherReads[at], otherReaders[at], now, lane, at);
    }
  }

  private void compare(@Nullable Moment before, int lane, Moment now, int nowLane, int at) {
    if (before == null
        || before == now
        || before.epoch != epoch
        || (before.strong && now.strong)
        || (before.warp == now.warp && (lane == nowLane || before.warpEpoch != now.warpEpoch))) {
      return;
    }
    int thread = before.warp * LANES + lane;
    int nowThread = now.warp * LANES + nowLane;
    if (lastStrong[thread] > before.time && lastStrong[nowThread] > before.time) {
      return;
    }
    reports.sharedRace(
        now.op,
        before.op,
        now.access,
        before.access,
        names.of(now.warp, nowLane),
        names.of(before.warp, lane),
        names.block(),
        at);
  }

  private void note(int at, Moment now, int lane) {
    if (now.access != Access.READ) {
      written[at] = true;
      writes[at] = now;
      writers[at] = (byte) lane;
      if (now.access == Access.WRITE_LATER) {
        pending[at] = now;
        senders[at] = (byte) lane;
      }
      return;
    }
    Moment read = reads[at];
    boolean same = read != null && read.warp == now.warp && readers[at] == lane;
    if (read == null || read.epoch != epoch || same) {
      reads[at] = now;
      readers[at] = (byte) lane;
    } else {
      otherReads[at] = now;
      otherReaders[at] = (byte) lane;
    }
  }
}
