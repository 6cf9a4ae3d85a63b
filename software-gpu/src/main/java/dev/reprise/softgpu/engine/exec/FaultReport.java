package dev.reprise.softgpu.engine.exec;

import dev.reprise.softgpu.memory.AddressSpace;
import dev.reprise.softgpu.memory.Allocation;

/** Words for what went wrong in a block. */
final class FaultReport {
  private final Program program;
  private final Block.Shape shape;
  private final AddressSpace memory;

  FaultReport(Program program, Block.Shape shape, AddressSpace memory) {
    this.program = program;
    this.shape = shape;
    this.memory = memory;
  }

  ProgramFault of(LaneFault fault, Warp w, String block) {
    StringBuilder s = new StringBuilder(fault.getMessage());
    s.append(" in kernel ").append(program.name()).append(", PTX line ").append(fault.line());
    String source = program.sources().get(fault.line());
    if (source != null) {
      s.append(" (").append(source).append(')');
    }
    s.append(", block ").append(block).append(", thread ").append(thread(w, fault.lane()));
    if (fault.address() != 0) {
      Allocation nearest = memory.nearest(fault.address());
      if (nearest == null) {
        s.append("; nothing is allocated");
      } else {
        long after = fault.address() - (nearest.base() + nearest.size());
        long before = nearest.base() - fault.address();
        s.append("; nearest allocation: ").append(nearest);
        if (after >= 0) {
          s.append(", which ends ").append(after).append(" bytes before the address");
        } else if (before > 0) {
          s.append(", which starts ").append(before).append(" bytes after the address");
        }
      }
    }
    FaultPlace place =
        new FaultPlace(
            String.valueOf(fault.getMessage()),
            program.name(),
            fault.line(),
            block,
            thread(w, fault.lane()),
            fault.address());
    return new ProgramFault(fault.cudaError(), s.toString(), place);
  }

  /**
   * No thread can go on.
   *
   * @param others where those of other blocks of the cluster stand
   */
  ProgramFault deadlock(Warp[] warps, String block, String others) {
    StringBuilder s =
        new StringBuilder(
            "deadlock in kernel " + program.name() + ", block " + block + ": no warp can go on");
    places(warps, s);
    s.append(others);
    return new ProgramFault(
        719, s.toString(), new FaultPlace(s.toString(), program.name(), 0, block, null, 0));
  }

  ProgramFault timeout(Warp[] warps, String block) {
    StringBuilder s =
        new StringBuilder(
            "kernel " + program.name() + " ran longer than the limit, block " + block + " is at");
    places(warps, s);
    return new ProgramFault(
        702, s.toString(), new FaultPlace(s.toString(), program.name(), 0, block, null, 0));
  }

  /** Where the threads of a block stand, as part of a report about another. */
  String places(Warp[] warps, String block) {
    StringBuilder s = new StringBuilder(String.format("%nblock %s of the cluster:", block));
    places(warps, s);
    return s.toString();
  }

  /** Where the groups of lanes stand and what they wait for. */
  private void places(Warp[] warps, StringBuilder s) {
    for (Warp w : warps) {
      Groups g = w.groups;
      for (int k = 0; k < g.count; k++) {
        boolean barrier = g.state[k] == Groups.BARRIER;
        int pc = barrier ? g.pc[k] - 1 : g.pc[k];
        Op op = program.code()[pc];
        s.append(
            String.format(
                "%n  warp %d, lanes 0x%08x: pc %d, PTX line %d, %s",
                w.index, g.mask[k], pc, op.line, op.text));
        if (barrier && g.barrier[k] == Groups.CLUSTER) {
          s.append(" waits for its cluster");
        } else if (barrier) {
          s.append(" waits at barrier ").append(g.barrier[k]);
        } else if (g.state[k] == Groups.SYNC) {
          s.append(" waits for lanes of its warp");
        }
      }
    }
  }

  private String thread(Warp w, int lane) {
    int t = w.index * Warp.LANES + lane;
    return String.format(
        "(%d, %d, %d)", t % shape.x(), t / shape.x() % shape.y(), t / (shape.x() * shape.y()));
  }
}
