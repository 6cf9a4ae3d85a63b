package dev.reprise.cuda;

/**
 * One argument of a launch: memory with the access that the kernel makes to it, or a value.
 *
 * <p>The size of each must be that of the kernel's parameter; {@link Kernel#prepare} checks it.
 */
public sealed interface KernelArg {

  /** Bytes of the argument in the parameter list of the kernel. */
  int size();

  /** Memory that the kernel only reads. */
  static KernelArg read(DeviceBuffer buffer) {
    return new Memory(buffer, 0, Access.READ);
  }

  /** Memory from {@code offset} bytes on that the kernel only reads. */
  static KernelArg read(DeviceBuffer buffer, long offset) {
    return new Memory(buffer, offset, Access.READ);
  }

  /** Memory that the kernel only writes. */
  static KernelArg write(DeviceBuffer buffer) {
    return new Memory(buffer, 0, Access.WRITE);
  }

  /** Memory from {@code offset} bytes on that the kernel only writes. */
  static KernelArg write(DeviceBuffer buffer, long offset) {
    return new Memory(buffer, offset, Access.WRITE);
  }

  /** Memory that the kernel reads and writes. */
  static KernelArg readWrite(DeviceBuffer buffer) {
    return new Memory(buffer, 0, Access.READ_WRITE);
  }

  /** Memory from {@code offset} bytes on that the kernel reads and writes. */
  static KernelArg readWrite(DeviceBuffer buffer, long offset) {
    return new Memory(buffer, offset, Access.READ_WRITE);
  }

  /** Page-locked host memory that the kernel only reads. */
  static KernelArg read(HostBuffer buffer) {
    return new HostMemory(buffer, 0, Access.READ);
  }

  /** Page-locked host memory from {@code offset} bytes on that the kernel only reads. */
  static KernelArg read(HostBuffer buffer, long offset) {
    return new HostMemory(buffer, offset, Access.READ);
  }

  /** Page-locked host memory that the kernel only writes. */
  static KernelArg write(HostBuffer buffer) {
    return new HostMemory(buffer, 0, Access.WRITE);
  }

  /** Page-locked host memory from {@code offset} bytes on that the kernel only writes. */
  static KernelArg write(HostBuffer buffer, long offset) {
    return new HostMemory(buffer, offset, Access.WRITE);
  }

  /** Page-locked host memory that the kernel reads and writes. */
  static KernelArg readWrite(HostBuffer buffer) {
    return new HostMemory(buffer, 0, Access.READ_WRITE);
  }

  /** Page-locked host memory from {@code offset} bytes on that the kernel reads and writes. */
  static KernelArg readWrite(HostBuffer buffer, long offset) {
    return new HostMemory(buffer, offset, Access.READ_WRITE);
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
   * @param access what the kernel does with the memory
   */
  record Memory(DeviceBuffer buffer, long offset, Access access) implements KernelArg {
    /** Checks that the offset lies in the buffer. */
    public Memory {
      if (offset < 0 || offset >= buffer.size()) {
        throw new IndexOutOfBoundsException(
            "Offset %d is outside buffer '%s' of %d bytes."
                .formatted(offset, buffer.label(), buffer.size()));
      }
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
   * @param access what the kernel does with the memory
   */
  record HostMemory(HostBuffer buffer, long offset, Access access) implements KernelArg {
    /** Checks that the offset lies in the buffer. */
    public HostMemory {
      if (offset < 0 || offset >= buffer.size()) {
        throw new IndexOutOfBoundsException(
            "Offset %d is outside buffer '%s' of %d bytes."
                .formatted(offset, buffer.label(), buffer.size()));
      }
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
