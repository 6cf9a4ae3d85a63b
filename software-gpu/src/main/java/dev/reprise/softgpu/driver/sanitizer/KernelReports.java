package dev.reprise.softgpu.driver.sanitizer;

import dev.reprise.softgpu.engine.KernelCode;
import dev.reprise.softgpu.engine.exec.BlockWatch;
import dev.reprise.softgpu.engine.exec.Op;
import dev.reprise.softgpu.sanitizer.CallStack;
import dev.reprise.softgpu.sanitizer.Report;
import dev.reprise.softgpu.sanitizer.Report.KernelPlace;
import dev.reprise.softgpu.sanitizer.ReportKind;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Makes the reports about what the threads of one launch do. */
final class KernelReports {

  private final Findings findings;
  private final AllocationLog log;
  private final KernelCode kernel;
  private final Map<Report.Role, CallStack> stacks;

  /**
   * Reports of one launch.
   *
   * @param stacks where it was launched and captured
   */
  KernelReports(
      Findings findings, AllocationLog log, KernelCode kernel, Map<Report.Role, CallStack> stacks) {
    this.findings = findings;
    this.log = log;
    this.kernel = kernel;
    this.stacks = stacks;
  }

  void uninitialised(Op op, String thread, String block, long address, int bytes) {
    AllocationLog.@Nullable Entry entry = log.find(address);
    long base = entry == null ? 0 : entry.base();
    if (!findings.first(ReportKind.UNINITIALISED_READ, List.of(kernel.name(), op.line(), base))) {
      return;
    }
    String what =
        "read of %d bytes at 0x%x, which nothing has written (%s)"
            .formatted(bytes, address, op.text());
    findings.add(
        new Report(
            ReportKind.UNINITIALISED_READ,
            what,
            place(op, block, thread),
            OptionalLong.of(address),
            entry == null ? null : entry.place(address),
            Stacks.with(stacks, entry)));
  }

  void uninitialisedShared(Op op, String thread, String block, int offset, int bytes) {
    if (findings.first(ReportKind.UNINITIALISED_READ, List.of(kernel.name(), op.line()))) {
      String what =
          "read of %d bytes at 0x%x of shared memory, which no thread of the block has written (%s)"
              .formatted(bytes, offset, op.text());
      add(ReportKind.UNINITIALISED_READ, what, place(op, block, thread));
    }
  }

  void sharedRace(
      Op now,
      Op before,
      BlockWatch.Access access,
      BlockWatch.Access earlier,
      String thread,
      String otherThread,
      String block,
      int offset) {
    if (findings.first(ReportKind.SHARED_RACE, List.of(kernel.name(), now.line(), before.line()))) {
      String what =
          ("%s of shared memory at 0x%x (%s) and %s by thread %s at PTX line %d (%s)"
                  + " without a barrier between them")
              .formatted(
                  name(access),
                  offset,
                  now.text(),
                  name(earlier),
                  otherThread,
                  before.line(),
                  before.text());
      add(ReportKind.SHARED_RACE, what, place(now, block, thread));
    }
  }

  void early(
      Op now,
      Op copy,
      BlockWatch.Access access,
      String thread,
      String copying,
      String block,
      int offset) {
    if (findings.first(ReportKind.SHARED_RACE, List.of(kernel.name(), now.line(), copy.line()))) {
      String what =
          ("%s of shared memory at 0x%x (%s) before an asynchronous copy by thread %s at PTX line"
                  + " %d (%s) has been waited for")
              .formatted(name(access), offset, now.text(), copying, copy.line(), copy.text());
      add(ReportKind.SHARED_RACE, what, place(now, block, thread));
    }
  }

  void overwritten(
      Op now,
      Op copy,
      BlockWatch.Access access,
      String thread,
      String copying,
      String block,
      int offset) {
    if (findings.first(ReportKind.SHARED_RACE, List.of(kernel.name(), now.line(), copy.line()))) {
      String what =
          ("%s of shared memory at 0x%x (%s) that an asynchronous copy by thread %s at PTX line"
                  + " %d (%s) may not have read yet: it has not been waited for")
              .formatted(name(access), offset, now.text(), copying, copy.line(), copy.text());
      add(ReportKind.SHARED_RACE, what, place(now, block, thread));
    }
  }

  /**
   * Two accesses of a word race.
   *
   * @param seen whether the thread has seen by another access that the one before has been made
   */
  void globalRace(KernelAccess now, KernelAccess before, long address, boolean seen) {
    if (!findings.first(
        ReportKind.GLOBAL_RACE, List.of(kernel.name(), now.op().line(), before.op().line()))) {
      return;
    }
    AllocationLog.@Nullable Entry entry = log.find(address);
    String what =
        ("%s at 0x%x (%s) and %s by thread %s of block %s at PTX line %d (%s)," + " with %s")
            .formatted(
                name(now.access()),
                address,
                now.op().text(),
                name(before.access()),
                before.thread(address),
                before.names().block(),
                before.op().line(),
                before.op().text(),
                seen
                    ? "no fence behind the atomic or other strong access that has shown it the other"
                    : "nothing in the kernel that orders them");
    findings.add(
        new Report(
            ReportKind.GLOBAL_RACE,
            what,
            place(now.op(), now.names().block(), now.thread(address)),
            OptionalLong.of(address),
            entry == null ? null : entry.place(address),
            Stacks.with(stacks, entry)));
  }

  private static String name(BlockWatch.Access access) {
    return switch (access) {
      case READ, READ_LATER -> "read";
      case WRITE, WRITE_LATER -> "write";
      case ATOMIC -> "atomic update";
    };
  }

  void absent(Op op, String thread, String other, String block) {
    if (findings.first(ReportKind.ABSENT_LANE, List.of(kernel.name(), op.line()))) {
      String what =
          "%s reads a register of thread %s, which does not execute it".formatted(op.text(), other);
      add(ReportKind.ABSENT_LANE, what, place(op, block, thread));
    }
  }

  void diverged(Op here, Op there, String thread, String block) {
    if (findings.first(
        ReportKind.BARRIER_MISUSE, List.of(kernel.name(), here.line(), there.line()))) {
      String what =
          ("threads of one block meet at a barrier by two instructions:"
                  + " %s here and %s at PTX line %d")
              .formatted(here.text(), there.text(), there.line());
      add(ReportKind.BARRIER_MISUSE, what, place(here, block, thread));
    }
  }

  private KernelPlace place(Op op, String block, String thread) {
    return new KernelPlace(kernel.name(), op.line(), kernel.source(op.line()), block, thread);
  }

  private void add(ReportKind kind, String what, KernelPlace place) {
    findings.add(new Report(kind, what, place, OptionalLong.empty(), null, stacks));
  }
}
