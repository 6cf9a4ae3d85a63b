package dev.reprise.cuda;

import dev.reprise.cuda.access.StreamAccess;
import org.jspecify.annotations.Nullable;

/**
 * One entry of a {@link BatchMemoryNode} or of {@link Stream#batch}: a number that is written, one
 * that is waited for, or a barrier ({@code CUstreamBatchMemOpParams}). Immutable; it names the
 * buffer and does not keep it open. Addresses are multiples of the size of the number. See CUDA
 * Driver API, "Stream Memory Operations".
 */
public final class WordOperation {

  private static final int WAIT_32 = 1;
  private static final int WRITE_32 = 2;
  private static final int WAIT_64 = 4;
  private static final int WRITE_64 = 5;
  private static final int BARRIER = 6;

  private final int code;
  private final @Nullable MemoryPlace place;
  private final Access access;
  private final long value;
  private final @Nullable WaitCondition condition;

  private WordOperation(
      int code,
      @Nullable MemoryPlace place,
      Access access,
      long value,
      @Nullable WaitCondition condition) {
    this.code = code;
    this.place = place;
    this.access = access;
    this.value = value;
    this.condition = condition;
  }

  private static WordOperation of(
      int code,
      MemoryPlace place,
      int bytes,
      Access access,
      long value,
      @Nullable WaitCondition condition) {
    place.checkRange("WordOperation", bytes);
    place.checkAligned("WordOperation", bytes);
    return new WordOperation(code, place, access, value, condition);
  }

  /** Writes a 32-bit number at so many bytes from the start of a buffer. */
  public static WordOperation write32(DeviceBuffer dst, long offset, int value) {
    return of(WRITE_32, MemoryPlace.of(dst, offset), Integer.BYTES, Access.WRITE, value, null);
  }

  /** As {@link #write32(DeviceBuffer, long, int)}, to page-locked host memory. */
  public static WordOperation write32(HostBuffer dst, long offset, int value) {
    return of(WRITE_32, MemoryPlace.of(dst, offset), Integer.BYTES, Access.WRITE, value, null);
  }

  /** As {@link #write32(DeviceBuffer, long, int)}, with 64 bits. */
  public static WordOperation write64(DeviceBuffer dst, long offset, long value) {
    return of(WRITE_64, MemoryPlace.of(dst, offset), Long.BYTES, Access.WRITE, value, null);
  }

  /** As {@link #write32(DeviceBuffer, long, int)}, with 64 bits of page-locked host memory. */
  public static WordOperation write64(HostBuffer dst, long offset, long value) {
    return of(WRITE_64, MemoryPlace.of(dst, offset), Long.BYTES, Access.WRITE, value, null);
  }

  /** Waits until a 32-bit number meets a condition; if it never does, nothing goes on. */
  public static WordOperation wait32(
      DeviceBuffer src, long offset, int value, WaitCondition condition) {
    return await(WAIT_32, MemoryPlace.of(src, offset), Integer.BYTES, value, condition);
  }

  /** As {@link #wait32(DeviceBuffer, long, int, WaitCondition)}, for page-locked host memory. */
  public static WordOperation wait32(
      HostBuffer src, long offset, int value, WaitCondition condition) {
    return await(WAIT_32, MemoryPlace.of(src, offset), Integer.BYTES, value, condition);
  }

  /** As {@link #wait32(DeviceBuffer, long, int, WaitCondition)}, with 64 bits. */
  public static WordOperation wait64(
      DeviceBuffer src, long offset, long value, WaitCondition condition) {
    return await(WAIT_64, MemoryPlace.of(src, offset), Long.BYTES, value, condition);
  }

  /**
   * As {@link #wait32(DeviceBuffer, long, int, WaitCondition)}, with 64 bits of page-locked host
   * memory.
   */
  public static WordOperation wait64(
      HostBuffer src, long offset, long value, WaitCondition condition) {
    return await(WAIT_64, MemoryPlace.of(src, offset), Long.BYTES, value, condition);
  }

  private static WordOperation await(
      int code, MemoryPlace place, int bytes, long value, WaitCondition condition) {
    return of(code, place, bytes, Access.READ, value, condition);
  }

  /** Orders what is before it in the batch and what is behind, for all that see the memory. */
  public static WordOperation barrier() {
    return new WordOperation(BARRIER, null, Access.READ_WRITE, 0, null);
  }

  /** Refuses memory of another device. */
  void checkDevice(Context context) {
    MemoryPlace at = place;
    if (at != null) {
      at.checkDevice(context);
    }
  }

  /** Notes for the check of accesses that a stream was given it. */
  void order(StreamAccess stream) {
    MemoryPlace at = place;
    if (at == null) {
      return;
    }
    if (isWait()) {
      stream.await(at.handle().history(), at.offset(), this::isMetBy);
    } else {
      stream.signal(at.handle().history(), at.offset(), value);
    }
  }

  /** Enters it as an entry of a node. */
  void enter(Context context, int index, CaptureLedger uses) {
    MemoryPlace at = place;
    if (at != null) {
      at.checkDevice(context);
      at.handle().checkOpen();
      uses.pointer("batch memory operation", index, at.facade(), at.handle(), at.offset(), access);
      if (isWait()) {
        uses.awaits();
      } else {
        uses.signals(at.handle(), at.offset(), value);
      }
    }
  }

  int code() {
    return code;
  }

  boolean isWait() {
    return code == WAIT_32 || code == WAIT_64;
  }

  boolean isBarrier() {
    return code == BARRIER;
  }

  long address() {
    MemoryPlace at = place;
    return at == null ? 0 : at.deviceAddress();
  }

  long value() {
    return value;
  }

  int flags() {
    WaitCondition until = condition;
    return until == null ? 0 : StreamValueCalls.flags(until);
  }

  /** Where it writes or waits; null for a barrier. */
  @Nullable MemoryPlace place() {
    return place;
  }

  /** Whether a number lets a wait go on; false if it is none. */
  boolean isMetBy(long number) {
    WaitCondition until = condition;
    int bits = code == WAIT_32 ? Integer.SIZE : Long.SIZE;
    return until != null && until.isMet(number, value, bits);
  }

  @Override
  public String toString() {
    MemoryPlace at = place;
    return at == null
        ? "barrier"
        : "%s of %d at '%s' + %d"
            .formatted(isWait() ? "wait" : "write", value, at.handle().label(), at.offset());
  }
}
