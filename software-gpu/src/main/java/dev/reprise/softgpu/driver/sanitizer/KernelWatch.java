package dev.reprise.softgpu.driver.sanitizer;

import dev.reprise.softgpu.driver.sanitizer.Access.Kind;
import dev.reprise.softgpu.engine.exec.Block;
import dev.reprise.softgpu.engine.exec.BlockWatch;
import dev.reprise.softgpu.engine.exec.LaunchWatch;
import dev.reprise.softgpu.engine.exec.Op;
import dev.reprise.softgpu.engine.exec.Windows;
import dev.reprise.softgpu.memory.AddressSpace;
import dev.reprise.softgpu.ptx.Space;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Sees the accesses of one launch of a kernel. */
final class KernelWatch implements LaunchWatch {

  private static final int LANES = 32;
  private static final int SHADOWS = 8;

  private final KernelReports reports;
  private final Validity validity;
  private final Touched touched = new Touched();
  private final Runs runs = new Runs();

  /** Found last, the one to be replaced next first. */
  private final Validity.@Nullable Shadow[] shadows = new Validity.Shadow[SHADOWS];

  private int oldest;
  private final Runnable hostWritten;
  private final GlobalWatch launch;
  private final SharedWatch.Clock clock = new SharedWatch.Clock();
  private boolean writesHost;

  /**
   * Sees one launch.
   *
   * @param hostWritten called before it first writes memory of the host
   */
  KernelWatch(KernelReports reports, Validity validity, Runnable hostWritten) {
    this.reports = reports;
    this.validity = validity;
    this.hostWritten = hostWritten;
    this.launch = new GlobalWatch(reports);
  }

  /** What it has accessed so far. */
  Touched touched() {
    return touched;
  }

  @Override
  public BlockWatch block(Block block, String position) {
    return new OfBlock(new ThreadNames(block.shape(), position));
  }

  /** What is known to be written around an address; null where all counts as written. */
  private Validity.@Nullable Shadow shadow(long address) {
    for (Validity.Shadow recent : shadows) {
      if (recent != null && recent.contains(address)) {
        return recent;
      }
    }
    Validity.Shadow found = validity.find(address);
    if (found != null) {
      shadows[oldest] = found;
      oldest = (oldest + 1) % SHADOWS;
    }
    return found;
  }

  private final class OfBlock implements BlockWatch {
    private final ThreadNames names;
    private final SharedWatch shared;
    private final GlobalWatch.OfBlock others;

    OfBlock(ThreadNames names) {
      this.names = names;
      this.shared = new SharedWatch(reports, names, clock);
      this.others = launch.block(names);
    }

    @Override
    public void access(
        int warp,
        Op op,
        Access access,
        boolean strong,
        Space space,
        int bytes,
        int lanes,
        long[] addresses) {
      switch (space) {
        case SHARED -> shared(this, warp, op, access, strong, bytes, lanes, addresses);
        case GLOBAL -> global(warp, op, access, strong, bytes, lanes, addresses);
        case GENERIC -> {
          int inShared = 0;
          int inGlobal = 0;
          for (int rest = lanes; rest != 0; rest &= rest - 1) {
            int lane = Integer.numberOfTrailingZeros(rest);
            if (Windows.in(addresses[lane], Windows.SHARED)) {
              inShared |= 1 << lane;
            } else if (!Windows.in(addresses[lane], Windows.LOCAL)
                && !Windows.in(addresses[lane], Windows.PARAM)) {
              inGlobal |= 1 << lane;
            }
          }
          if (inGlobal != 0) {
            global(warp, op, access, strong, bytes, inGlobal, addresses);
          }
          if (inShared != 0) {
            long[] offsets = addresses.clone();
            for (int k = 0; k < LANES; k++) {
              offsets[k] -= Windows.SHARED;
            }
            shared(this, warp, op, access, strong, bytes, inShared, offsets);
          }
        }
        default -> {
          // Parameters and constants are given; local memory is a thread's own.
        }
      }
    }

    /** Lanes of a warp, of another block perhaps, access shared memory of this block. */
    private void shared(
        OfBlock by,
        int warp,
        Op op,
        Access access,
        boolean strong,
        int bytes,
        int lanes,
        long[] offsets) {
      shared.access(by.shared, warp, op, access, strong, bytes, lanes, offsets);
      if (strong) {
        by.others.shared(others, warp, op, access, lanes, offsets);
      }
    }

    private void global(
        int warp, Op op, Access access, boolean strong, int bytes, int lanes, long[] addresses) {
      if (strong) {
        shared.strong();
      }
      Kind kind =
          switch (access) {
            case READ, READ_LATER -> Kind.READ;
            case WRITE, WRITE_LATER -> Kind.WRITE;
            case ATOMIC -> Kind.ATOMIC;
          };
      runs.set(lanes, addresses, bytes);
      KernelAccess now = others.begin(warp, op, access, strong, bytes, lanes, addresses);
      for (int run = 0; run < runs.count(); run++) {
        long start = runs.start(run);
        long end = runs.end(run);
        for (long at = start; at < end; ) {
          TouchedPage page = touched.page(at);
          int from = (int) (at - page.base());
          int until = (int) Math.min(TouchedPage.BYTES, end - page.base());
          page.mark(kind, from, until);
          others.note(now, page, from, until);
          at = page.base() + until;
        }
        if (start < AddressSpace.FIRST_ADDRESS && access != Access.READ && !writesHost) {
          writesHost = true;
          hostWritten.run();
        }
        Validity.Shadow shadow = shadow(start);
        if (shadow != null && kind != Kind.WRITE && shadow.firstUnwritten(start, end) >= 0) {
          reportUnwritten(now);
        }
      }
      if (access != Access.READ) {
        for (int run = 0; run < runs.count(); run++) {
          Validity.Shadow shadow = shadow(runs.start(run));
          if (shadow != null) {
            shadow.write(runs.start(run), runs.end(run));
          }
        }
      }
      others.end(now, strong);
    }

    private void reportUnwritten(KernelAccess now) {
      for (int rest = now.lanes(); rest != 0; rest &= rest - 1) {
        int lane = Integer.numberOfTrailingZeros(rest);
        long address = now.addresses()[lane];
        if (validity.firstUnwritten(address, now.bytes()) >= 0) {
          reports.uninitialised(
              now.op(), names.of(now.warp(), lane), names.block(), address, now.bytes());
        }
      }
    }

    @Override
    public void remote(
        BlockWatch by,
        int warp,
        Op op,
        Access access,
        boolean strong,
        int bytes,
        int lanes,
        long[] addresses) {
      shared((OfBlock) by, warp, op, access, strong, bytes, lanes, addresses);
    }

    @Override
    public void clusterBarrier(List<BlockWatch> all) {
      List<OfBlock> blocks = all.stream().map(OfBlock.class::cast).toList();
      blocks.forEach(b -> b.shared.clusterBarrier());
      launch.meet(blocks.stream().map(b -> b.others).toList());
    }

    @Override
    public void arrived(int warp, int lane, Op op, long address, int bytes, boolean awaited) {
      long inShared = Windows.in(address, Windows.SHARED) ? address - Windows.SHARED : address;
      shared.arrived(warp, lane, op, (int) inShared, bytes, awaited);
    }

    @Override
    public void taken(int warp, int lane, Op op, long address, int bytes, boolean awaited) {
      shared.taken(warp, lane, op, (int) address, bytes, awaited);
    }

    @Override
    public void fence(int warp, int lanes, Op op) {
      others.fence(warp, lanes, op);
    }

    @Override
    public void barrier() {
      shared.barrier();
      others.barrier();
    }

    @Override
    public void warpMet(int warp) {
      shared.warpMet(warp);
      others.warpMet(warp);
    }

    @Override
    public void absent(int warp, int lane, int source, Op op) {
      reports.absent(op, names.of(warp, lane), names.of(warp, source), names.block());
    }

    @Override
    public void diverged(int warp, int lanes, Op here, Op there) {
      reports.diverged(
          here, there, names.of(warp, Integer.numberOfTrailingZeros(lanes)), names.block());
    }
  }
}
