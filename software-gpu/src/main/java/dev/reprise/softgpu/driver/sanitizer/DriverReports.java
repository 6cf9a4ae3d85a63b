package dev.reprise.softgpu.driver.sanitizer;

import dev.reprise.softgpu.driver.operation.ExecutionFault;
import dev.reprise.softgpu.driver.operation.KernelLaunch;
import dev.reprise.softgpu.driver.queue.Work;
import dev.reprise.softgpu.driver.sanitizer.Access.Kind;
import dev.reprise.softgpu.engine.DeviceFault;
import dev.reprise.softgpu.engine.exec.FaultPlace;
import dev.reprise.softgpu.memory.Allocation;
import dev.reprise.softgpu.sanitizer.CallStack;
import dev.reprise.softgpu.sanitizer.Report;
import dev.reprise.softgpu.sanitizer.Report.KernelPlace;
import dev.reprise.softgpu.sanitizer.Report.Role;
import dev.reprise.softgpu.sanitizer.ReportKind;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Makes the reports about faults, about the order of operations, and about leaks. */
final class DriverReports {

  private final Findings findings;
  private final AllocationLog log;

  DriverReports(Findings findings, AllocationLog log) {
    this.findings = findings;
    this.log = log;
  }

  /** Work has failed. */
  void fault(Work work, Throwable fault) {
    switch (fault) {
      case DeviceFault device when device.place() != null ->
          fault(work, device.cudaError(), device.place());
      case ExecutionFault execution ->
          fault(
              work,
              execution.result().code(),
              String.valueOf(execution.getMessage()),
              null,
              execution.address());
      default -> {
        // A failure of the driver itself, which says all there is to say.
      }
    }
  }

  private void fault(Work work, int code, FaultPlace at) {
    Work operation = work instanceof TracedWork traced ? traced.current() : work;
    String source =
        operation instanceof KernelLaunch launch
            ? launch.request().kernel().source(at.line())
            : null;
    KernelPlace place = new KernelPlace(at.kernel(), at.line(), source, at.block(), at.thread());
    fault(work, code, at.what(), place, at.address());
  }

  private void fault(Work work, int code, String what, @Nullable KernelPlace place, long address) {
    AllocationLog.@Nullable Entry entry = address == 0 ? null : log.find(address);
    boolean freed = entry != null && entry.contains(address) && !entry.live();
    TracedWork traced = work instanceof TracedWork t ? t : null;
    boolean graph = traced != null ? traced.inGraph() : !work.parts().isEmpty();
    ReportKind kind = kind(code, what, freed, graph);
    if (!findings.options().wants(kind)) {
      return;
    }
    Map<Role, CallStack> stacks =
        traced == null ? Map.of() : Stacks.of(traced.launched(), traced.captured());
    findings.add(
        new Report(
            kind,
            what,
            place,
            address == 0 ? OptionalLong.empty() : OptionalLong.of(address),
            entry == null ? null : entry.place(address),
            Stacks.with(stacks, entry)));
  }

  private static ReportKind kind(int code, String what, boolean freed, boolean graph) {
    return switch (code) {
      case DeviceFault.ILLEGAL_ADDRESS ->
          !freed
              ? ReportKind.OUT_OF_BOUNDS
              : graph ? ReportKind.STALE_POINTER : ReportKind.USE_AFTER_FREE;
      case DeviceFault.MISALIGNED_ADDRESS -> ReportKind.MISALIGNED;
      default ->
          what.startsWith("deadlock") || what.startsWith("bar") || what.contains("member mask")
              ? ReportKind.BARRIER_MISUSE
              : ReportKind.DEVICE_FAULT;
    };
  }

  /** An operation waits for memory that nothing has written. */
  void uninitialised(TracedWork traced, long address, long bytes) {
    AllocationLog.@Nullable Entry entry = log.find(address);
    String work = Words.brief(traced.current());
    if (!findings.first(ReportKind.UNINITIALISED_READ, List.of(work, address))) {
      return;
    }
    findings.add(
        new Report(
            ReportKind.UNINITIALISED_READ,
            "read of %d bytes at 0x%x, which nothing has written (%s)"
                .formatted(bytes, address, work),
            null,
            OptionalLong.of(address),
            entry == null ? null : entry.place(address),
            Stacks.with(Stacks.of(traced.launched(), traced.captured()), entry)));
  }

  /** Two operations access the same bytes without an order. */
  void conflict(
      Access earlier, Kind earlierKind, Access later, Kind laterKind, long at, long bytes) {
    ReportKind kind =
        laterKind == Kind.ALLOCATE || earlierKind == Kind.ALLOCATE
            ? ReportKind.USE_BEFORE_ALLOCATION
            : laterKind == Kind.FREE || earlierKind == Kind.FREE
                ? ReportKind.FREE_IN_USE
                : later.sameLaunch(earlier) ? ReportKind.GRAPH_RACE : ReportKind.STREAM_RACE;
    AllocationLog.@Nullable Entry entry = log.find(at);
    long base = entry == null ? at : entry.base();
    String one = Words.brief(later.work());
    String other = Words.brief(earlier.work());
    // One mistake, whichever of the two ran first.
    String pair = one.compareTo(other) < 0 ? one + "\n" + other : other + "\n" + one;
    if (!findings.first(kind, List.of(pair, base))) {
      return;
    }
    String what =
        "%s %s %d bytes at 0x%x that %s %s, and nothing puts one before the other"
            .formatted(one, laterKind.verb(), bytes, at, other, earlierKind.verb());
    Map<Role, CallStack> stacks = new EnumMap<>(Role.class);
    stacks.putAll(Stacks.of(later.launched(), later.captured()));
    if (!later.sameLaunch(earlier)) {
      Stacks.put(stacks, Role.OTHER_LAUNCH, earlier.launched());
    }
    Stacks.put(stacks, Role.OTHER_CAPTURE, earlier.captured());
    KernelPlace place =
        later.work() instanceof KernelLaunch launch
            ? new KernelPlace(launch.request().kernel().name(), 0, null, null, null)
            : null;
    findings.add(
        new Report(
            kind,
            what,
            place,
            OptionalLong.of(at),
            entry == null ? null : entry.place(at),
            Stacks.with(stacks, entry)));
  }

  /** Pinned memory was written while a copy from it was under way. */
  void changedSource(PinnedSources.Source source) {
    AllocationLog.@Nullable Entry entry = log.find(source.address());
    if (!findings.options().wants(ReportKind.HOST_BUFFER_REUSE)) {
      return;
    }
    String what =
        "%d bytes of pinned memory at 0x%x changed before the program waited for the %s"
            .formatted(source.bytes(), source.address(), Words.of(source.work()));
    TracedWork task = source.task();
    findings.add(
        new Report(
            ReportKind.HOST_BUFFER_REUSE,
            what,
            null,
            OptionalLong.of(source.address()),
            entry == null ? null : entry.place(source.address()),
            Stacks.with(Stacks.of(task.launched(), Origins.of(source.work())), entry)));
  }

  /** Memory lives when its context goes. */
  void leaked(Allocation allocation) {
    AllocationLog.@Nullable Entry entry = log.find(allocation.base());
    // Addresses of the host are used again: each is a leak of its own.
    if (findings.options().wants(ReportKind.LEAK)) {
      findings.add(
          new Report(
              ReportKind.LEAK,
              "%d bytes at 0x%x live when their context is destroyed"
                  .formatted(allocation.size(), allocation.base()),
              null,
              OptionalLong.of(allocation.base()),
              entry == null ? null : entry.place(allocation.base()),
              Stacks.with(Map.of(), entry)));
    }
  }
}
