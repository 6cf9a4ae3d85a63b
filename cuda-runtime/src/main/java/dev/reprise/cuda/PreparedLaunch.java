package dev.reprise.cuda;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
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
  private final KernelArg[] args;
  private final @Nullable DeviceBuffer[] buffers;
  private final long[] offsets;
  private final MemorySegment values;
  private final MemorySegment pointers;

  PreparedLaunch(Kernel kernel, LaunchConfig config, KernelArg[] args) {
    this.kernel = kernel;
    this.config = config;
    this.args = args.clone();
    this.buffers = new DeviceBuffer[args.length];
    this.offsets = new long[args.length];
    // Collected with this object; nothing in it is the driver's.
    Arena arena = Arena.ofAuto();
    this.values = arena.allocate(Math.max(1, args.length) * SLOT, SLOT);
    this.pointers = arena.allocate(Math.max(1, args.length) * SLOT, SLOT);
    for (int i = 0; i < args.length; i++) {
      pointers.setAtIndex(JAVA_LONG, i, values.address() + i * SLOT);
      switch (args[i]) {
        case KernelArg.Memory memory -> putBuffer(i, memory.buffer(), memory.offset());
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
   * Points an argument elsewhere; what the kernel does with the memory stays as it was declared.
   */
  public void setBuffer(int index, DeviceBuffer buffer, long offset) {
    check(index, KernelArg.Memory.class);
    putBuffer(index, buffer, offset);
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

  private void putBuffer(int index, DeviceBuffer buffer, long offset) {
    kernel
        .module()
        .device()
        .context()
        .checkSame(buffer.handle().context(), "DeviceBuffer", buffer.label());
    if (offset < 0 || offset >= buffer.size()) {
      throw new IndexOutOfBoundsException(
          "Argument %d of kernel %s: offset %d is outside buffer '%s' of %d bytes."
              .formatted(index, kernel.name(), offset, buffer.label(), buffer.size()));
    }
    values.set(JAVA_LONG, index * SLOT, buffer.address() + offset);
    buffers[index] = buffer;
    offsets[index] = offset;
  }

  /** Issues the launch to a stream; the same as {@link Stream#launch}. */
  public void launch(Stream stream) {
    stream.launch(this);
  }

  /** Notes the use of all that the launch needs, then refuses if any of it is closed. */
  void use(StreamHandle stream, long ticket) {
    ModuleHandle module = kernel.module().handle();
    module.markUse(stream.clock(), ticket);
    for (DeviceBuffer buffer : buffers) {
      if (buffer != null) {
        buffer.handle().markUse(stream.clock(), ticket);
      }
    }
    Stream.orderUseBeforeCheck();
    checkOpen();
  }

  /** Makes the driver call. */
  int call(HotCalls calls, StreamHandle stream) {
    return calls.launch(kernel.function(), config, stream.value(), pointers);
  }

  /** Refuses if anything that the launch needs is closed. */
  void checkOpen() {
    kernel.module().handle().checkOpen();
    for (DeviceBuffer buffer : buffers) {
      if (buffer != null) {
        buffer.handle().checkOpen();
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
    for (int i = 0; i < args.length; i++) {
      DeviceBuffer buffer = buffers[i];
      if (buffer != null && args[i] instanceof KernelArg.Memory memory) {
        ledger.pointer(kernel.name(), i, buffer, buffer.handle(), offsets[i], memory.access());
      }
    }
  }
}
