package dev.reprise.cuda;

import dev.reprise.cuda.access.StreamAccess;
import dev.reprise.cuda.ownership.StreamClock;
import java.util.List;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/** The numbers in memory that one stream writes and waits for; {@link Stream} has the contracts. */
final class StreamValues {

  private final Stream stream;
  private final Context context;
  private final StreamHandle handle;
  private final StreamClock clock;

  StreamValues(Stream stream) {
    this.stream = stream;
    this.handle = stream.handle();
    this.context = handle.context();
    this.clock = handle.clock();
  }

  /** Issues the write of a number that streams wait for, or such a wait if {@code met} is given. */
  private void signal(
      String what, MemoryPlace place, long value, @Nullable LongPredicate met, Runnable driver) {
    place.checkDevice(context);
    clock.lock();
    try {
      long ticket = stream.begin();
      stream.use(place.handle(), ticket);
      CaptureLedger ledger = stream.ledger();
      StreamAccess checked = handle.access();
      if (ledger != null) {
        ledger.pointer(
            what,
            0,
            place.facade(),
            place.handle(),
            place.offset(),
            met == null ? Access.WRITE : Access.READ);
      }
      driver.run();
      if (checked == null) {
        return;
      }
      if (met == null) {
        if (ledger != null) {
          ledger.signals(place.handle(), place.offset(), value);
        } else {
          checked.signal(place.handle().history(), place.offset(), value);
        }
      } else if (ledger != null) {
        ledger.awaits();
      } else {
        checked.await(place.handle().history(), place.offset(), met);
      }
    } finally {
      clock.unlock();
    }
  }

  void writeValue32(MemoryPlace target, int value) {
    long address = checkValue("Stream.writeValue32", target, Integer.BYTES);
    signal(
        "Stream.writeValue32",
        target,
        value,
        null,
        () -> StreamValueCalls.write32(context, address, value, handle));
  }

  void writeValue64(MemoryPlace target, long value) {
    long address = checkValue("Stream.writeValue64", target, Long.BYTES);
    signal(
        "Stream.writeValue64",
        target,
        value,
        null,
        () -> StreamValueCalls.write64(context, address, value, handle));
  }

  void waitValue32(MemoryPlace source, int value, WaitCondition condition) {
    long address = checkValue("Stream.waitValue32", source, Integer.BYTES);
    signal(
        "Stream.waitValue32",
        source,
        value,
        number -> condition.isMet(number, value, Integer.SIZE),
        () -> StreamValueCalls.wait32(context, address, value, condition, handle));
  }

  void waitValue64(MemoryPlace source, long value, WaitCondition condition) {
    long address = checkValue("Stream.waitValue64", source, Long.BYTES);
    signal(
        "Stream.waitValue64",
        source,
        value,
        number -> condition.isMet(number, value, Long.SIZE),
        () -> StreamValueCalls.wait64(context, address, value, condition, handle));
  }

  void batch(List<WordOperation> operations) {
    BatchMemoryCalls.checkCount(operations);
    operations.forEach(operation -> operation.checkDevice(context));
    clock.lock();
    try {
      long ticket = stream.begin();
      for (WordOperation operation : operations) {
        MemoryPlace place = operation.place();
        if (place != null) {
          stream.use(place.handle(), ticket);
        }
      }
      CaptureLedger ledger = stream.ledger();
      if (ledger != null) {
        BatchMemoryCalls.enter(context, operations, ledger);
      }
      BatchMemoryCalls.issue(context, operations, handle);
      StreamAccess checked = handle.access();
      if (checked != null && ledger == null) {
        operations.forEach(operation -> operation.order(checked));
      }
    } finally {
      clock.unlock();
    }
  }

  /** The address for the device. */
  private static long checkValue(String what, MemoryPlace place, int bytes) {
    place.checkRange(what, bytes);
    place.checkAligned(what, bytes);
    return place.deviceAddress();
  }
}
