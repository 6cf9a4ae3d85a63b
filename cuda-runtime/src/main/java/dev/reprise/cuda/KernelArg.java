package dev.reprise.cuda;

/**
 * One argument of a launch: memory with the access that the kernel makes to it, or a value.
 *
 * <p>A kernel may use all of the buffer from the offset on, unless the argument says how much; the
 * check of accesses relies on it, see {@link dev.reprise.cuda.diagnostics.AccessCheck}.
 *
 * <p>The size of each must be that of the kernel's parameter; {@link Kernel#prepare} checks it
 * where the driver tells it. Immutable; it names the memory and does not keep it open. See CUDA
 * Driver API, "Execution Control", {@code cuLaunchKernel}.
 */
public sealed interface KernelArg {

  /** Bytes of the argument in the parameter list of the kernel. */
  int size();

  /** Stands for all bytes of a buffer from the offset on, however far it has grown. */
  long TO_END = Long.MAX_VALUE;

  private static void check(String label, long size, long offset, long bytes) {
    if (offset < 0 || offset >= size) {
      throw new IndexOutOfBoundsException(
          "Offset %d is outside buffer '%s' of %d bytes.".formatted(offset, label, size));
    }
    if (bytes < 1 || (bytes != TO_END && bytes > size - offset)) {
      throw new IndexOutOfBoundsException(
          "%d bytes from offset %d are not inside buffer '%s' of %d bytes."
              .formatted(bytes, offset, label, size));
    }
  }

  /** Memory that the kernel only reads. */
  static KernelArg read(DeviceBuffer buffer) {
    return new Memory(buffer, 0, TO_END, Access.READ);
  }

  /** Memory from {@code offset} bytes on that the kernel only reads. */
  static KernelArg read(DeviceBuffer buffer, long offset) {
    return new Memory(buffer, offset, TO_END, Access.READ);
  }

  /** As {@link #read(DeviceBuffer, long)}, no further than {@code bytes} from there. */
  static KernelArg read(DeviceBuffer buffer, long offset, long bytes) {
    return new Memory(buffer, offset, bytes, Access.READ);
  }

  /** Memory that the kernel only writes. */
  static KernelArg write(DeviceBuffer buffer) {
    return new Memory(buffer, 0, TO_END, Access.WRITE);
  }

  /** Memory from {@code offset} bytes on that the kernel only writes. */
  static KernelArg write(DeviceBuffer buffer, long offset) {
    return new Memory(buffer, offset, TO_END, Access.WRITE);
  }

  /** As {@link #write(DeviceBuffer, long)}, no further than {@code bytes} from there. */
  static KernelArg write(DeviceBuffer buffer, long offset, long bytes) {
    return new Memory(buffer, offset, bytes, Access.WRITE);
  }

  /** Memory that the kernel reads and writes. */
  static KernelArg readWrite(DeviceBuffer buffer) {
    return new Memory(buffer, 0, TO_END, Access.READ_WRITE);
  }

  /** Memory from {@code offset} bytes on that the kernel reads and writes. */
  static KernelArg readWrite(DeviceBuffer buffer, long offset) {
    return new Memory(buffer, offset, TO_END, Access.READ_WRITE);
  }

  /** As {@link #readWrite(DeviceBuffer, long)}, no further than {@code bytes} from there. */
  static KernelArg readWrite(DeviceBuffer buffer, long offset, long bytes) {
    return new Memory(buffer, offset, bytes, Access.READ_WRITE);
  }

  /** Page-locked host memory that the kernel only reads. */
  static KernelArg read(HostBuffer buffer) {
    return new HostMemory(buffer, 0, TO_END, Access.READ);
  }

  /** Page-locked host memory from {@code offset} bytes on that the kernel only reads. */
  static KernelArg read(HostBuffer buffer, long offset) {
    return new HostMemory(buffer, offset, TO_END, Access.READ);
  }

  /** As {@link #read(HostBuffer, long)}, no further than {@code bytes} from there. */
  static KernelArg read(HostBuffer buffer, long offset, long bytes) {
    return new HostMemory(buffer, offset, bytes, Access.READ);
  }

  /** Page-locked host memory that the kernel only writes. */
  static KernelArg write(HostBuffer buffer) {
    return new HostMemory(buffer, 0, TO_END, Access.WRITE);
  }

  /** Page-locked host memory from {@code offset} bytes on that the kernel only writes. */
  static KernelArg write(HostBuffer buffer, long offset) {
    return new HostMemory(buffer, offset, TO_END, Access.WRITE);
  }

  /** As {@link #write(HostBuffer, long)}, no further than {@code bytes} from there. */
  static KernelArg write(HostBuffer buffer, long offset, long bytes) {
    return new HostMemory(buffer, offset, bytes, Access.WRITE);
  }

  /** Page-locked host memory that the kernel reads and writes. */
  static KernelArg readWrite(HostBuffer buffer) {
    return new HostMemory(buffer, 0, TO_END, Access.READ_WRITE);
  }

  /** Page-locked host memory from {@code offset} bytes on that the kernel reads and writes. */
  static KernelArg readWrite(HostBuffer buffer, long offset) {
    return new HostMemory(buffer, offset, TO_END, Access.READ_WRITE);
  }

  /** As {@link #readWrite(HostBuffer, long)}, no further than {@code bytes} from there. */
  static KernelArg readWrite(HostBuffer buffer, long offset, long bytes) {
    return new HostMemory(buffer, offset, bytes, Access.READ_WRITE);
  }

  /** A null pointer, for a parameter that the kernel treats as optional. */
  static KernelArg nullPointer() {
    return new I64(0);
  }

  /** A 32-bit signed integer. */
  static KernelArg i32(int value) {
    return new I32(value);
  }

  /** A 32-bit unsigned integer, given as the int of the same bits. */
  static KernelArg u32(int value) {
    return new I32(value);
  }

  /** A 64-bit integer. */
  static KernelArg i64(long value) {
    return new I64(value);
  }

  /** What a kernel calls {@code cudaGraphSetConditional} with. */
  static KernelArg condition(ConditionalHandle handle) {
    return new I64(handle.value());
  }

  /** A 32-bit float. */
  static KernelArg f32(float value) {
    return new F32(value);
  }

  /** A 64-bit float. */
  static KernelArg f64(double value) {
    return new F64(value);
  }

  /**
   * A pointer into a buffer.
   *
   * @param buffer the buffer
   * @param offset bytes from its start, within the buffer
   * @param bytes how many bytes from there the kernel uses at most, at least 1, or {@link #TO_END}
   * @param access what the kernel does with the memory
   */
  record Memory(DeviceBuffer buffer, long offset, long bytes, Access access) implements KernelArg {
    /** Checks that the memory lies in the buffer. */
    public Memory {
      check(buffer.label(), buffer.size(), offset, bytes);
    }

    @Override
    public int size() {
      return Long.BYTES;
    }
  }

  /**
   * A pointer into page-locked host memory, as the device sees it.
   *
   * @param buffer the buffer
   * @param offset bytes from its start, within the buffer
   * @param bytes how many bytes from there the kernel uses at most, at least 1, or {@link #TO_END}
   * @param access what the kernel does with the memory
   */
  record HostMemory(HostBuffer buffer, long offset, long bytes, Access access)
      implements KernelArg {
    /** Checks that the memory lies in the buffer. */
    public HostMemory {
      check(buffer.label(), buffer.size(), offset, bytes);
    }

    @Override
    public int size() {
      return Long.BYTES;
    }
  }

  /**
   * A 32-bit integer.
   *
   * @param value its bits
   */
  record I32(int value) implements KernelArg {
    @Override
    public int size() {
      return Integer.BYTES;
    }
  }

  /**
   * A 64-bit integer.
   *
   * @param value its bits
   */
  record I64(long value) implements KernelArg {
    @Override
    public int size() {
      return Long.BYTES;
    }
  }

  /**
   * A 32-bit float.
   *
   * @param value the number
   */
  record F32(float value) implements KernelArg {
    @Override
    public int size() {
      return Float.BYTES;
    }
  }

  /**
   * A 64-bit float.
   *
   * @param value the number
   */
  record F64(double value) implements KernelArg {
    @Override
    public int size() {
      return Double.BYTES;
    }
  }
}
