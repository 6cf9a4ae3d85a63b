package dev.reprise.softgpu.sanitizer;

import java.util.Locale;

/** The kinds of mistakes that the sanitizer finds. */
public enum ReportKind {
  /** An access outside every allocation, or beyond shared, local or parameter memory. */
  OUT_OF_BOUNDS(SanitizerLevel.FAULTS),
  /** An address that is no multiple of the size of the access. */
  MISALIGNED(SanitizerLevel.FAULTS),
  /** An access to memory that has been freed. */
  USE_AFTER_FREE(SanitizerLevel.FAULTS),
  /** A graph that was launched though memory that it captured has been freed. */
  STALE_POINTER(SanitizerLevel.FAULTS),
  /** A barrier that cannot complete, or that lanes of one warp meet at different instructions. */
  BARRIER_MISUSE(SanitizerLevel.FAULTS),
  /** A trap, a failed assertion, or another reason for which a device stops. */
  DEVICE_FAULT(SanitizerLevel.FAULTS),
  /** Memory that lives when its context is destroyed. */
  LEAK(SanitizerLevel.STACKS),
  /** Two accesses of different streams without an order between them, one of which writes. */
  STREAM_RACE(SanitizerLevel.FULL),
  /** Two accesses of different branches of one graph, one of which writes. */
  GRAPH_RACE(SanitizerLevel.FULL),
  /** Memory freed in stream order though another stream may still use it. */
  FREE_IN_USE(SanitizerLevel.FULL),
  /** Memory allocated in stream order that another stream uses without waiting for that. */
  USE_BEFORE_ALLOCATION(SanitizerLevel.FULL),
  /** Pinned memory whose contents changed before the program knew that their copy was done. */
  HOST_BUFFER_REUSE(SanitizerLevel.FULL),
  /** A read of global or shared memory that nothing has written. */
  UNINITIALISED_READ(SanitizerLevel.FULL),
  /** Two accesses of threads of a block to shared memory without a barrier between them. */
  SHARED_RACE(SanitizerLevel.FULL),
  /** Two accesses of threads of one launch to global memory that nothing in the kernel orders. */
  GLOBAL_RACE(SanitizerLevel.FULL),
  /** A shuffle that reads from a lane that has exited, does not exist, or is not named. */
  ABSENT_LANE(SanitizerLevel.FULL);

  private final SanitizerLevel level;

  ReportKind(SanitizerLevel level) {
    this.level = level;
  }

  /** The lowest level at which it is looked for. */
  public SanitizerLevel level() {
    return level;
  }

  /** As it is written in settings and reports, such as {@code use-after-free}. */
  public String text() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
