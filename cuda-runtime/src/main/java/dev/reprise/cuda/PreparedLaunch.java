package dev.reprise.cuda;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.reprise.cuda.access.DeclaredUse;
import dev.reprise.cuda.ownership.StreamClock;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A launch with its arguments laid out in native memory, to be made any number of times.
 *
 * <p>{@link #launch} allocates nothing on the Java heap. The driver copies the arguments when a
 * launch is made or captured, so that changing one affects later launches only, and no graph.
 *
 * <p>It keeps its buffers and its module reachable, but does not keep them open: a launch with one
 * of them closed is refused. It needs no closing itself.
 *
 * <p><b>Threads:</b> one at a time. <b>Capture:</b> may be launched in one. See CUDA Driver API,
 * "Execution Control", {@code cuLaunchKernel}.
 */
public final class PreparedLaunch {

  private static final long SLOT = 8;

  private final Kernel kernel;
  private final LaunchConfig config;
  private final LaunchAttributes attributes;
  private final KernelArg[] args;

  /** What is done behind each pointer; null for the other arguments. */
  private final @Nullable KernelUse[] uses;

  /** Whether memory of another device is used. */
  private boolean foreign;

  /** What lets the kernel use memory of another device; null where nothing is needed. */
  private @Nullable PeerAccessHandle @Nullable [] accesses;

  /** Whether a buffer has automatic order. */
  private boolean automatic;

  private final MemorySegment values;
  private final MemorySegment pointers;

  /** What a launch with attributes passes; null without. */
  private final @Nullable MemorySegment extended;

  PreparedLaunch(
      Kernel kernel, LaunchConfig config, LaunchAttributes attributes, KernelArg[] args) {
    this.kernel = kernel;
    this.config = config;
    this.attributes = attributes;
    this.args = args.clone();
    this.uses = new KernelUse[args.length];
    // Collected with this object; nothing in it is the driver's.
    Arena arena = Arena.ofAuto();
    this.extended =
        attributes.equals(LaunchAttributes.NONE)
            ? null
            : LaunchCalls.config(arena, config, attributes);
    this.values = arena.allocate(Math.max(1, args.length) * SLOT, SLOT);
    this.pointers = arena.allocate(Math.max(1, args.length) * SLOT, SLOT);
    for (int i = 0; i < args.length; i++) {
      pointers.setAtIndex(JAVA_LONG, i, values.address() + i * SLOT);
      switch (args[i]) {
        case KernelArg.Memory memory -> put(i, KernelUse.of(memory, i), memory.buffer().address());
        case KernelArg.HostMemory memory ->
            put(i, KernelUse.of(memory, i), memory.buffer().deviceAddress());
        case KernelArg.I32 number -> values.set(JAVA_INT, i * SLOT, number.value());
        case KernelArg.I64 number -> values.set(JAVA_LONG, i * SLOT, number.value());
        case KernelArg.F32 number -> values.set(JAVA_FLOAT, i * SLOT, number.value());
        case KernelArg.F64 number -> values.set(JAVA_DOUBLE, i * SLOT, number.value());
      }
    }
  }

  /** The kernel. */
  public Kernel kernel() {
    return kernel;
  }

  /** Grid, block and shared memory. */
  public LaunchConfig config() {
    return config;
  }

  /** What it asks for beyond that. */
  public LaunchAttributes attributes() {
    return attributes;
  }

  /** Changes a 32-bit integer argument. */
  public void setI32(int index, int value) {
    check(index, KernelArg.I32.class);
    values.set(JAVA_INT, index * SLOT, value);
  }

  /** Changes a 64-bit integer argument. */
  public void setI64(int index, long value) {
    check(index, KernelArg.I64.class);
    values.set(JAVA_LONG, index * SLOT, value);
  }

  /** Changes a 32-bit float argument. */
  public void setF32(int index, float value) {
    check(index, KernelArg.F32.class);
    values.set(JAVA_FLOAT, index * SLOT, value);
  }

  /** Changes a 64-bit float argument. */
  public void setF64(int index, double value) {
    check(index, KernelArg.F64.class);
    values.set(JAVA_DOUBLE, index * SLOT, value);
  }

  /**
   * Points an argument elsewhere; what the kernel does with the memory, and how much of it it uses,
   * stays as it was declared.
   */
  public void setBuffer(int index, DeviceBuffer buffer, long offset) {
    check(index, KernelArg.Memory.class);
    put(index, known(index).at(MemoryPlace.of(buffer, offset)), buffer.address());
  }

  /**
   * As {@link #setBuffer(int, DeviceBuffer, long)}, for an argument in page-locked host memory
   * ({@code cuMemHostGetDevicePointer}).
   */
  public void setBuffer(int index, HostBuffer buffer, long offset) {
    check(index, KernelArg.HostMemory.class);
    put(index, known(index).at(MemoryPlace.of(buffer, offset)), buffer.deviceAddress());
  }

  private void check(int index, Class<? extends KernelArg> type) {
    if (!type.isInstance(args[index])) {
      throw new IllegalArgumentException(
          "Argument %d of kernel %s is %s, not %s."
              .formatted(
                  index,
                  kernel.name(),
                  args[index].getClass().getSimpleName(),
                  type.getSimpleName()));
    }
  }

  /** The use of a pointer that was given. */
  private KernelUse known(int index) {
    return Objects.requireNonNull(uses[index]);
  }

  private void put(int index, KernelUse use, long deviceAddress) {
    MemoryPlace place = use.place();
    Context context = kernel.module().device().context();
    if (place.onHost()) {
      place.checkDevice(context);
    }
    RegionHandle memory = place.handle();
    PeerAccessHandle access = PeerAccessHandle.needed(context, memory);
    if (place.offset() < 0 || place.offset() >= memory.size()) {
      throw new IndexOutOfBoundsException(
          "Argument %d of kernel %s: offset %d is outside buffer '%s' of %d bytes."
              .formatted(index, kernel.name(), place.offset(), memory.label(), memory.size()));
    }
    if (use.leastBytes() > memory.size() - place.offset()) {
      throw new IndexOutOfBoundsException(
          "Argument %d of kernel %s: %d bytes from offset %d are not inside buffer '%s' of %d bytes."
              .formatted(
                  index,
                  kernel.name(),
                  use.leastBytes(),
                  place.offset(),
                  memory.label(),
                  memory.size()));
    }
    values.set(JAVA_LONG, index * SLOT, deviceAddress + place.offset());
    uses[index] = use;
    automatic = false;
    foreign = false;
    for (KernelUse each : uses) {
      if (each != null) {
        automatic |= each.place().handle().order() != null;
        foreign |= isForeign(each);
      }
    }
    put(index, access);
  }

  private void put(int index, @Nullable PeerAccessHandle access) {
    @Nullable PeerAccessHandle[] known = accesses;
    if (known == null && access != null) {
      known = new PeerAccessHandle[uses.length];
      accesses = known;
    }
    if (known != null) {
      known[index] = access;
    }
  }

  /** Whether it is memory of another device, which has another queue of retirement. */
  private boolean isForeign(KernelUse use) {
    return use.place().handle().context().ordinal() != kernel.module().device().ordinal();
  }

  private @Nullable PeerAccessHandle access(int index) {
    @Nullable PeerAccessHandle[] known = accesses;
    return known == null ? null : known[index];
  }

  /** Whether a buffer is used that has automatic order. */
  boolean usesAutomaticOrder() {
    return automatic;
  }

  /** What it does to buffers that have automatic order. */
  AutomaticUses automaticUses() {
    AutomaticUses all = new AutomaticUses();
    for (KernelUse use : uses) {
      if (use != null) {
        all.add(use.place().handle(), use.access());
      }
    }
    return all;
  }

  /** Whether memory of another device is used. */
  boolean usesPeers() {
    return foreign;
  }

  /** Keeps the memory of other devices until the operation of a ticket is done. */
  List<PeerLease> lease(DeviceHandle device, StreamClock clock, long ticket) {
    List<PeerLease> leases = new ArrayList<>();
    try {
      for (int i = 0; i < uses.length; i++) {
        KernelUse use = uses[i];
        if (use != null && isForeign(use)) {
          PeerLease lease = PeerLease.of(use.place().handle(), device);
          leases.add(lease);
          lease.markUse(clock, ticket);
        }
      }
      return leases;
    } catch (Throwable e) {
      leases.forEach(PeerLease::close);
      throw e;
    }
  }

  /** Issues the launch to a stream; the same as {@link Stream#launch}. */
  public void launch(Stream stream) {
    stream.launch(this);
  }

  /** Notes the use of all that the launch needs; {@link #checkOpen} is to follow. */
  void markUse(StreamClock clock, long ticket) {
    kernel.module().handle().markUse(clock, ticket);
    for (int i = 0; i < uses.length; i++) {
      KernelUse use = uses[i];
      PeerAccessHandle access = access(i);
      if (access != null) {
        access.markUse(clock, ticket);
      }
      // Memory in another queue of retirement has a lease instead.
      if (use != null && !(foreign && isForeign(use))) {
        use.place().handle().markUse(clock, ticket);
      }
    }
  }

  /** Refuses graph memory that is not allocated where the launch would use it. */
  void checkAllocated(Stream stream, @Nullable Capture capture) {
    for (KernelUse use : uses) {
      if (use != null && use.place().handle() instanceof GraphMemoryHandle memory) {
        memory.checkAllocated(stream, capture);
      }
    }
  }

  /** Makes the driver call. */
  int call(HotCalls calls, StreamHandle stream) {
    MemorySegment passed = extended;
    return passed == null
        ? calls.launch(kernel.function(), config, stream.value(), pointers)
        : calls.launchExtended(kernel.function(), passed, stream.value(), pointers);
  }

  /** The driver function that {@link #call} calls. */
  String driverFunction() {
    return extended == null ? "cuLaunchKernel" : "cuLaunchKernelEx";
  }

  /** Refuses if anything that the launch needs is closed. */
  void checkOpen() {
    kernel.module().handle().checkOpen();
    for (int i = 0; i < uses.length; i++) {
      KernelUse use = uses[i];
      if (use != null) {
        use.place().handle().checkOpen();
      }
      PeerAccessHandle access = access(i);
      if (access != null) {
        access.checkOpen();
      }
    }
  }

  /** The addresses of the arguments, as the driver takes them. */
  MemorySegment pointers() {
    return pointers;
  }

  /** Enters the launch in the ledger of a capture. */
  void capture(CaptureLedger ledger) {
    ledger.retain(kernel.module(), kernel.module().handle());
    for (int i = 0; i < uses.length; i++) {
      KernelUse use = uses[i];
      if (use != null) {
        use.enter(kernel.name(), operation(), ledger);
      }
      PeerAccessHandle access = access(i);
      if (access != null) {
        ledger.retain(access, access);
      }
    }
  }

  /** Its name in reports of the check of accesses. */
  String operation() {
    return "kernel " + kernel.name();
  }

  /** What it uses, for the check of accesses. */
  List<DeclaredUse> uses() {
    List<DeclaredUse> declared = new ArrayList<>();
    for (KernelUse use : uses) {
      if (use != null) {
        declared.add(use.declared(operation()));
      }
    }
    return declared;
  }
}
