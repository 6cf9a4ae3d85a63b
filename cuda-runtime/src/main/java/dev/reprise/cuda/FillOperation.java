package dev.reprise.cuda;

import dev.reprise.cuda.access.Extent;
import java.util.List;

/**
 * Sets elements of device memory to one value, as the parameters of a {@link FillNode}. Immutable;
 * it names the buffer and does not keep it open. See CUDA Driver API, "Graph Management", {@code
 * cuGraphAddMemsetNode}.
 */
public final class FillOperation {

  private final DeviceBuffer buffer;
  private final long offset;
  private final long count;
  private final int value;
  private final int elementBytes;

  private FillOperation(DeviceBuffer buffer, long offset, long count, int value, int elementBytes) {
    if (count < 1) {
      throw new IllegalArgumentException(
          "A fill node of buffer '%s' cannot set %d elements; at least 1."
              .formatted(buffer.label(), count));
    }
    buffer
        .handle()
        .checkRange("FillOperation", offset, Math.multiplyExact(count, (long) elementBytes));
    if (offset % elementBytes != 0) {
      throw new IllegalArgumentException(
          "FillOperation: offset %d in buffer '%s' is not a multiple of %d."
              .formatted(offset, buffer.label(), elementBytes));
    }
    this.buffer = buffer;
    this.offset = offset;
    this.count = count;
    this.value = value;
    this.elementBytes = elementBytes;
  }

  /** Sets {@code count} bytes from {@code offset} bytes on. */
  public static FillOperation of8(DeviceBuffer dst, long offset, long count, byte value) {
    return new FillOperation(dst, offset, count, value & 0xff, Byte.BYTES);
  }

  /** Sets {@code count} 16-bit words from {@code offset} bytes on, a multiple of 2. */
  public static FillOperation of16(DeviceBuffer dst, long offset, long count, short value) {
    return new FillOperation(dst, offset, count, value & 0xffff, Short.BYTES);
  }

  /** Sets {@code count} 32-bit words from {@code offset} bytes on, a multiple of 4. */
  public static FillOperation of32(DeviceBuffer dst, long offset, long count, int value) {
    return new FillOperation(dst, offset, count, value, Integer.BYTES);
  }

  /** The number of elements. */
  public long count() {
    return count;
  }

  /** The value of each, in the low bits. */
  public int value() {
    return value;
  }

  /** Bytes of an element: 1, 2 or 4. */
  public int elementBytes() {
    return elementBytes;
  }

  long address() {
    return buffer.handle().address() + offset;
  }

  /** Checks that it can run on a device, and enters it in a ledger. */
  void enter(Context context, CaptureLedger ledger) {
    context.checkSame(buffer.handle().context(), "DeviceBuffer", buffer.label());
    buffer.handle().checkOpen();
    ledger.pointer("fill", 0, buffer, buffer.handle(), offset, Access.WRITE);
    if (context.checker() != null) {
      Extent extent = Extent.of(offset, count * elementBytes);
      ledger.use("fill", 0, buffer.handle(), Access.WRITE, List.of(extent));
    }
  }

  @Override
  public String toString() {
    return "fill of %d elements of %d bytes of '%s' + %d with %d"
        .formatted(count, elementBytes, buffer.label(), offset, value);
  }
}
