package dev.reprise.cuda;

import dev.reprise.cuda.access.Extent;
import java.util.List;

/**
 * A copy of bytes in a row, as the parameters of a {@link CopyNode}. Immutable; it names the
 * buffers and does not keep them open. See CUDA Driver API, "Graph Management", {@code
 * cuGraphAddMemcpyNode}.
 */
public final class CopyOperation {

  private final Object sourceFacade;
  private final RegionHandle source;
  private final long sourceOffset;
  private final Object targetFacade;
  private final RegionHandle target;
  private final long targetOffset;
  private final long bytes;

  private CopyOperation(
      Object sourceFacade,
      RegionHandle source,
      long sourceOffset,
      Object targetFacade,
      RegionHandle target,
      long targetOffset,
      long bytes) {
    if (bytes < 1) {
      throw new IllegalArgumentException(
          "A copy node from '%s' to '%s' cannot copy %d bytes; at least 1."
              .formatted(source.label(), target.label(), bytes));
    }
    source.checkRange("CopyOperation", sourceOffset, bytes);
    target.checkRange("CopyOperation", targetOffset, bytes);
    this.sourceFacade = sourceFacade;
    this.source = source;
    this.sourceOffset = sourceOffset;
    this.targetFacade = targetFacade;
    this.target = target;
    this.targetOffset = targetOffset;
    this.bytes = bytes;
  }

  /** From page-locked host memory to the device; at least 1 byte. */
  public static CopyOperation toDevice(
      HostBuffer src, long srcOffset, DeviceBuffer dst, long dstOffset, long bytes) {
    return new CopyOperation(src, src.handle(), srcOffset, dst, dst.handle(), dstOffset, bytes);
  }

  /** From the device to page-locked host memory; at least 1 byte. */
  public static CopyOperation toHost(
      DeviceBuffer src, long srcOffset, HostBuffer dst, long dstOffset, long bytes) {
    return new CopyOperation(src, src.handle(), srcOffset, dst, dst.handle(), dstOffset, bytes);
  }

  /** From device memory to device memory, which must not overlap; at least 1 byte. */
  public static CopyOperation onDevice(
      DeviceBuffer src, long srcOffset, DeviceBuffer dst, long dstOffset, long bytes) {
    return new CopyOperation(src, src.handle(), srcOffset, dst, dst.handle(), dstOffset, bytes);
  }

  /** The bytes that are copied. */
  public long bytes() {
    return bytes;
  }

  boolean fromHost() {
    return sourceFacade instanceof HostBuffer;
  }

  boolean toHost() {
    return targetFacade instanceof HostBuffer;
  }

  long sourceAddress() {
    return source.address() + sourceOffset;
  }

  long targetAddress() {
    return target.address() + targetOffset;
  }

  /** Checks that it can run on a device, and enters it in a ledger. */
  void enter(Context context, CaptureLedger ledger) {
    context.checkSame(source.context(), source.kind().typeName(), source.label());
    context.checkSame(target.context(), target.kind().typeName(), target.label());
    source.checkOpen();
    target.checkOpen();
    ledger.pointer("copy", 0, targetFacade, target, targetOffset, Access.WRITE);
    ledger.pointer("copy", 1, sourceFacade, source, sourceOffset, Access.READ);
    if (context.checker() != null) {
      ledger.use("copy", 0, target, Access.WRITE, List.of(Extent.of(targetOffset, bytes)));
      ledger.use("copy", 1, source, Access.READ, List.of(Extent.of(sourceOffset, bytes)));
    }
  }

  @Override
  public String toString() {
    return "copy of %d bytes from '%s' + %d to '%s' + %d"
        .formatted(bytes, source.label(), sourceOffset, target.label(), targetOffset);
  }
}
