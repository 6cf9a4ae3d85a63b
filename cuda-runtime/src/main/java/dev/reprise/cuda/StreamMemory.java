package dev.reprise.cuda;

import dev.reprise.cuda.access.DeclaredUse;
import dev.reprise.cuda.access.Extent;
import dev.reprise.cuda.access.StreamAccess;
import dev.reprise.cuda.ownership.HandleNode;
import dev.reprise.cuda.ownership.StreamClock;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The operations of one stream on memory; {@link Stream} states their contracts. */
final class StreamMemory {

  /** Largest piece in which heap memory is copied by way of native memory. */
  private static final long STAGING_BYTES = 1 << 20;

  private final Stream stream;
  private final Context context;
  private final StreamHandle handle;
  private final StreamClock clock;

  StreamMemory(Stream stream) {
    this.stream = stream;
    this.handle = stream.handle();
    this.context = handle.context();
    this.clock = handle.clock();
  }

  /** A driver call, made under the lock of the stream's clock. */
  interface Issue {
    void call();
  }

  /** Rows and slices, where an operation is on more than bytes in a row. */
  private record Box(
      PitchedMemory target, @Nullable PitchedMemory source, long rowBytes, long rows, long slices) {

    List<Extent> targetExtents() {
      return target.extents(rowBytes, rows, slices);
    }

    List<Extent> sourceExtents() {
      return source == null ? List.of() : source.extents(rowBytes, rows, slices);
    }
  }

  private void issue(
      String what, MemoryPlace target, @Nullable MemoryPlace source, long bytes, Issue driver) {
    issue(what, target, Access.WRITE, source, bytes, null, driver);
  }

  private void issue(String what, Box box, Issue driver) {
    PitchedMemory source = box.source();
    MemoryPlace from = source == null ? null : source.place();
    issue(what, box.target().place(), Access.WRITE, from, 0, box, driver);
  }

  private void issue(
      String what,
      MemoryPlace target,
      Access access,
      @Nullable MemoryPlace source,
      long bytes,
      @Nullable Box box,
      Issue driver) {
    target.checkDevice(context);
    if (source != null) {
      source.checkDevice(context);
    }
    clock.lock();
    try {
      long ticket = stream.begin();
      stream.use(target.handle(), ticket);
      if (source != null) {
        stream.use(source.handle(), ticket);
      }
      CaptureLedger ledger = stream.ledger();
      if (ledger != null) {
        ledger.pointer(what, 0, target.facade(), target.handle(), target.offset(), access);
        if (source != null) {
          ledger.pointer(what, 1, source.facade(), source.handle(), source.offset(), Access.READ);
        }
      }
      if (target.handle().order() == null && (source == null || source.handle().order() == null)) {
        issueNow(what, target, access, source, bytes, box, ledger, driver);
      } else {
        issueOrdered(what, target, access, source, bytes, box, ledger, driver);
      }
    } finally {
      clock.unlock();
    }
  }

  /** As {@link #issueNow}, of which a buffer has automatic order; apart, as it makes objects. */
  private void issueOrdered(
      String what,
      MemoryPlace target,
      Access access,
      @Nullable MemoryPlace source,
      long bytes,
      @Nullable Box box,
      @Nullable CaptureLedger ledger,
      Issue driver) {
    AutomaticUses automatic = new AutomaticUses().add(target.handle(), access);
    if (source != null) {
      automatic.add(source.handle(), Access.READ);
    }
    automatic.issue(
        handle, () -> issueNow(what, target, access, source, bytes, box, ledger, driver));
  }

  private void issueNow(
      String what,
      MemoryPlace target,
      Access access,
      @Nullable MemoryPlace source,
      long bytes,
      @Nullable Box box,
      @Nullable CaptureLedger ledger,
      Issue driver) {
    StreamAccess checked = handle.access();
    if (checked == null) {
      driver.call();
      return;
    }
    List<Extent> written =
        box == null ? List.of(Extent.of(target.offset(), bytes)) : box.targetExtents();
    List<Extent> read =
        source == null
            ? List.of()
            : box == null ? List.of(Extent.of(source.offset(), bytes)) : box.sourceExtents();
    issueChecked(checked, ledger, what, target, access, written, source, read, driver);
  }

  static void issueChecked(
      StreamAccess checked,
      @Nullable CaptureLedger captured,
      String what,
      MemoryPlace target,
      Access access,
      List<Extent> targetExtents,
      @Nullable MemoryPlace source,
      List<Extent> sourceExtents,
      Issue driver) {
    if (captured != null) {
      captured.use(what, 0, target.handle(), access, targetExtents);
      if (source != null) {
        captured.use(what, 1, source.handle(), Access.READ, sourceExtents);
      }
      driver.call();
      return;
    }
    List<DeclaredUse> uses = new ArrayList<>(target.handle().uses(what, 0, access, targetExtents));
    if (source != null) {
      uses.addAll(source.handle().uses(what, 1, Access.READ, sourceExtents));
    }
    checked.issue(what, uses);
    try {
      driver.call();
    } catch (Throwable e) {
      checked.withdraw();
      throw e;
    }
  }

  /**
   * Copies page-locked memory to the device. A decode step makes this copy, so it leaves nothing on
   * the Java heap where nobody looks at it.
   */
  void copyToDevice(
      HostBuffer source, long sourceOffset, DeviceBuffer target, long targetOffset, long bytes) {
    RegionHandle from = source.handle();
    RegionHandle to = target.handle();
    clock.lock();
    try {
      if (handle.access() == null
          && stream.ledger() == null
          && from.order() == null
          && to.order() == null) {
        from.checkRange("Stream.copyToDevice", sourceOffset, bytes);
        to.checkRange("Stream.copyToDevice", targetOffset, bytes);
        context.checkSame(to.context(), to.kind().typeName(), to.label());
        context.checkSame(from.context(), from.kind().typeName(), from.label());
        long ticket = stream.begin();
        stream.use(to, ticket);
        stream.use(from, ticket);
        MemoryCalls.copyToDevice(
            context, to.address() + targetOffset, from.address() + sourceOffset, bytes, handle);
        return;
      }
    } finally {
      clock.unlock();
    }
    copyToDevice(MemoryPlace.of(source, sourceOffset), MemoryPlace.of(target, targetOffset), bytes);
  }

  void copyToDevice(MemoryPlace source, MemoryPlace target, long bytes) {
    String what = "Stream.copyToDevice";
    source.checkRange(what, bytes);
    target.checkRange(what, bytes);
    issue(
        what,
        target,
        source,
        bytes,
        () -> MemoryCalls.copyToDevice(context, target.address(), source.address(), bytes, handle));
  }

  void copyToHost(MemoryPlace source, MemoryPlace target, long bytes) {
    String what = "Stream.copyToHost";
    source.checkRange(what, bytes);
    target.checkRange(what, bytes);
    MemorySegment to = MemorySegment.ofAddress(target.address());
    issue(
        what,
        target,
        source,
        bytes,
        () -> MemoryCalls.copyToHost(context, to, source.address(), bytes, handle));
  }

  void copy(MemoryPlace source, MemoryPlace target, long bytes) {
    String what = "Stream.copy";
    source.checkRange(what, bytes);
    target.checkRange(what, bytes);
    if (source.overlaps(bytes, target, bytes)) {
      throw new IllegalArgumentException(
          "%s: %d bytes from offset %d of '%s' overlap those from offset %d of '%s'."
              .formatted(
                  what,
                  bytes,
                  source.offset(),
                  source.handle().label(),
                  target.offset(),
                  target.handle().label()));
    }
    issue(
        what,
        target,
        source,
        bytes,
        () -> MemoryCalls.copy(context, target.address(), source.address(), bytes, handle));
  }

  void copy2D(PitchedMemory source, PitchedMemory target, long rowBytes, long rows) {
    String what = "Stream.copy2D";
    if (checkBoxes(what, source, target, rowBytes, rows, 1)) {
      issue(
          what,
          new Box(target, source, rowBytes, rows, 1),
          () -> PitchedCalls.copy2D(context, target, source, rowBytes, rows, handle));
    }
  }

  void copy3D(PitchedMemory source, PitchedMemory target, long rowBytes, long rows, long slices) {
    String what = "Stream.copy3D";
    if (checkBoxes(what, source, target, rowBytes, rows, slices)) {
      issue(
          what,
          new Box(target, source, rowBytes, rows, slices),
          () -> PitchedCalls.copy3D(context, target, source, rowBytes, rows, slices, handle));
    }
  }

  /** Whether there is anything to copy. */
  private static boolean checkBoxes(
      String what,
      PitchedMemory source,
      PitchedMemory target,
      long rowBytes,
      long rows,
      long slices) {
    long from = source.checkBox(what, rowBytes, rows, slices);
    long to = target.checkBox(what, rowBytes, rows, slices);
    source.place().handle().checkOpen();
    target.place().handle().checkOpen();
    if (from > 0 && source.overlaps(from, target, to, rowBytes)) {
      throw new IllegalArgumentException(
          "%s: the source in '%s' and the target in '%s' overlap."
              .formatted(what, source.place().handle().label(), target.place().handle().label()));
    }
    return from > 0;
  }

  void fill8(MemoryPlace target, long count, byte value) {
    String what = "Stream.fill8";
    target.checkRange(what, count);
    issue(
        what,
        target,
        null,
        count,
        () -> MemoryCalls.fill8(context, target.address(), value, count, handle));
  }

  void fill16(MemoryPlace target, long count, short value) {
    String what = "Stream.fill16";
    target.checkRange(what, Math.multiplyExact(count, (long) Short.BYTES));
    target.checkAligned(what, Short.BYTES);
    issue(
        what,
        target,
        null,
        count * Short.BYTES,
        () -> MemoryCalls.fill16(context, target.address(), value, count, handle));
  }

  void fill32(MemoryPlace target, long count, int value) {
    String what = "Stream.fill32";
    target.checkRange(what, Math.multiplyExact(count, (long) Integer.BYTES));
    target.checkAligned(what, Integer.BYTES);
    issue(
        what,
        target,
        null,
        count * Integer.BYTES,
        () -> MemoryCalls.fill32(context, target.address(), value, count, handle));
  }

  void fill2D8(PitchedMemory target, long width, long rows, byte value) {
    if (checkRows("Stream.fill2D8", target, width, rows, Byte.BYTES)) {
      issue(
          "Stream.fill2D8",
          new Box(target, null, width, rows, 1),
          () -> PitchedCalls.fill8(context, target, value, width, rows, handle));
    }
  }

  void fill2D16(PitchedMemory target, long width, long rows, short value) {
    if (checkRows("Stream.fill2D16", target, width, rows, Short.BYTES)) {
      issue(
          "Stream.fill2D16",
          new Box(target, null, width * Short.BYTES, rows, 1),
          () -> PitchedCalls.fill16(context, target, value, width, rows, handle));
    }
  }

  void fill2D32(PitchedMemory target, long width, long rows, int value) {
    if (checkRows("Stream.fill2D32", target, width, rows, Integer.BYTES)) {
      issue(
          "Stream.fill2D32",
          new Box(target, null, width * Integer.BYTES, rows, 1),
          () -> PitchedCalls.fill32(context, target, value, width, rows, handle));
    }
  }

  /** Whether there is anything to fill. */
  private static boolean checkRows(
      String what, PitchedMemory target, long width, long rows, int elementBytes) {
    long span = target.checkBox(what, Math.multiplyExact(width, (long) elementBytes), rows, 1);
    target.place().handle().checkOpen();
    target.place().checkAligned(what, elementBytes);
    if (rows > 1 && target.pitch() % elementBytes != 0) {
      throw new IllegalArgumentException(
          "%s: a pitch of %d in buffer '%s' is not a multiple of %d."
              .formatted(what, target.pitch(), target.place().handle().label(), elementBytes));
    }
    return span > 0;
  }

  DeviceBuffer allocate(String label, long bytes, MemoryPool pool) {
    Capture capture = stream.capture();
    if (capture == null) {
      Capture.refuse("Stream.allocate('" + label + "')");
    }
    if (bytes < 1) {
      throw new IllegalArgumentException(
          "Buffer '%s' cannot have %d bytes.".formatted(label, bytes));
    }
    context.checkSame(pool.device().context(), "MemoryPool", pool.label());
    pool.checkOpen();
    if (capture != null) {
      return allocateInCapture(label, bytes, pool, capture);
    }
    context.retirement().drain();
    MemoryPoolHandle owned = pool.handle();
    StreamOrderedMemoryHandle memory =
        owned == null
            ? HandleNode.under(handle, () -> allocateNow(label, bytes, pool))
            : HandleNode.under(
                handle, () -> HandleNode.under(owned, () -> allocateNow(label, bytes, pool)));
    DeviceBuffer facade = new DeviceBuffer(stream.device(), memory);
    memory.watch(facade);
    return facade;
  }

  private StreamOrderedMemoryHandle allocateNow(String label, long bytes, MemoryPool pool) {
    clock.lock();
    try {
      long ticket = stream.begin();
      long address = PoolCalls.allocate(context, label, bytes, pool, handle);
      StreamOrderedMemoryHandle memory =
          new StreamOrderedMemoryHandle(label, handle, pool.handle(), address, bytes);
      memory.markUse(clock, ticket);
      StreamAccess checked = handle.access();
      if (checked != null) {
        // Other streams must come behind the allocation.
        String what = "Stream.allocate";
        checked.issue(what, memory.uses(what, 0, Access.WRITE, List.of(memory.from(0))));
      }
      return memory;
    } finally {
      clock.unlock();
    }
  }

  private DeviceBuffer allocateInCapture(
      String label, long bytes, MemoryPool pool, Capture capture) {
    Device device = stream.device();
    clock.lock();
    try {
      stream.begin();
      return HandleNode.under(
          device.handle(),
          () -> {
            long address = PoolCalls.allocate(context, label, bytes, pool, handle);
            GraphMemoryHandle memory =
                new GraphMemoryHandle(
                    label,
                    device,
                    device.handle(),
                    capture,
                    address,
                    bytes,
                    PeerAccessHandle.users(context, pool.handle()));
            capture.memory().allocated(memory, stream);
            capture.ledger().allocates(memory);
            return memory.buffer();
          });
    } finally {
      clock.unlock();
    }
  }

  void free(DeviceBuffer buffer) {
    GraphMemoryHandle memory = GraphMemoryHandle.of(buffer);
    context.checkSame(memory.context(), "DeviceBuffer", memory.label());
    clock.lock();
    try {
      long ticket = stream.begin();
      memory.markUse(clock, ticket);
      Stream.orderUseBeforeCheck();
      memory.checkOpen();
      Capture capture = stream.capture();
      if (capture == null) {
        freeAllocated(memory);
      } else {
        capture.memory().checkFree(memory, stream);
        freeAsync(memory);
        capture.memory().freed(memory);
        capture.ledger().frees(memory);
      }
    } finally {
      clock.unlock();
    }
  }

  private void freeAllocated(GraphMemoryHandle memory) {
    memory.beginFree(stream);
    boolean freed = false;
    try {
      freeAsync(memory);
      freed = true;
    } finally {
      if (!freed) {
        memory.undoFree();
      }
    }
  }

  private void freeAsync(GraphMemoryHandle memory) {
    MemoryCalls.freeAsync(context, memory.label(), memory.address(), memory.size(), handle.value());
  }

  void write(MemorySegment src, DeviceBuffer dst, long dstOffset) {
    String what = "Stream.write to '" + dst.label() + "'";
    Capture.refuse(what);
    dst.handle().checkRange(what, dstOffset, src.byteSize());
    if (src.byteSize() == 0) {
      dst.handle().checkOpen();
      return;
    }
    if (src.isNative()) {
      writeNative(src, dst, dstOffset);
      return;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment staging = arena.allocate(Math.min(STAGING_BYTES, src.byteSize()));
      for (long done = 0; done < src.byteSize(); ) {
        long bytes = Math.min(staging.byteSize(), src.byteSize() - done);
        MemorySegment.copy(src, done, staging, 0, bytes);
        writeNative(staging.asSlice(0, bytes), dst, dstOffset + done);
        done += bytes;
      }
    }
  }

  private void writeNative(MemorySegment src, DeviceBuffer dst, long dstOffset) {
    MemoryPlace target = MemoryPlace.of(dst, dstOffset);
    issue(
        "Stream.write",
        target,
        null,
        src.byteSize(),
        () ->
            MemoryCalls.copyToDevice(
                context, target.address(), src.address(), src.byteSize(), handle));
    stream.await();
    Reference.reachabilityFence(src);
  }

  void read(DeviceBuffer src, long srcOffset, MemorySegment dst) {
    String what = "Stream.read of '" + src.label() + "'";
    Capture.refuse(what);
    src.handle().checkRange(what, srcOffset, dst.byteSize());
    if (dst.isReadOnly()) {
      throw new IllegalArgumentException(what + ": the target segment is read-only.");
    }
    if (dst.byteSize() == 0) {
      src.handle().checkOpen();
      return;
    }
    if (dst.isNative()) {
      readNative(src, srcOffset, dst);
      return;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment staging = arena.allocate(Math.min(STAGING_BYTES, dst.byteSize()));
      for (long done = 0; done < dst.byteSize(); ) {
        long bytes = Math.min(staging.byteSize(), dst.byteSize() - done);
        readNative(src, srcOffset + done, staging.asSlice(0, bytes));
        MemorySegment.copy(staging, 0, dst, done, bytes);
        done += bytes;
      }
    }
  }

  private void readNative(DeviceBuffer src, long srcOffset, MemorySegment dst) {
    MemoryPlace source = MemoryPlace.of(src, srcOffset);
    issue(
        "Stream.read",
        source,
        Access.READ,
        null,
        dst.byteSize(),
        null,
        () -> MemoryCalls.copyToHost(context, dst, source.address(), dst.byteSize(), handle));
    stream.await();
  }
}
