package dev.reprise.softgpu.driver.api;

import dev.reprise.softgpu.driver.context.Context;
import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.context.Stream;
import dev.reprise.softgpu.driver.operation.Copy;
import dev.reprise.softgpu.driver.operation.Place;
import dev.reprise.softgpu.driver.operation.Place.Kind;
import dev.reprise.softgpu.driver.operation.StagedCopy;
import dev.reprise.softgpu.driver.queue.Marker;
import dev.reprise.softgpu.driver.support.CudaFailure;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Copies of bytes in a row, with the host synchrony that the driver manual describes under "API
 * synchronization behavior".
 */
final class CopyFunctions extends Functions {

  /** Up to here, pageable bytes are read when the call is made and copied later. */
  private static final int STAGED_BYTES = 64 << 10;

  CopyFunctions(SoftwareGpu gpu) {
    super(gpu);
  }

  int cuMemcpyHtoD_v2(long dst, MemorySegment src, long bytes) {
    return copy(Kind.DEVICE, dst, Kind.HOST, src.address(), bytes);
  }

  int cuMemcpyDtoH_v2(MemorySegment dst, long src, long bytes) {
    return copy(Kind.HOST, dst.address(), Kind.DEVICE, src, bytes);
  }

  int cuMemcpyDtoD_v2(long dst, long src, long bytes) {
    return copy(Kind.DEVICE, dst, Kind.DEVICE, src, bytes);
  }

  int cuMemcpy(long dst, long src, long bytes) {
    return copy(Kind.UNIFIED, dst, Kind.UNIFIED, src, bytes);
  }

  int cuMemcpyHtoDAsync_v2(long dst, MemorySegment src, long bytes, MemorySegment hStream) {
    return copyAsync(Kind.DEVICE, dst, Kind.HOST, src.address(), bytes, hStream);
  }

  int cuMemcpyDtoHAsync_v2(MemorySegment dst, long src, long bytes, MemorySegment hStream) {
    return copyAsync(Kind.HOST, dst.address(), Kind.DEVICE, src, bytes, hStream);
  }

  int cuMemcpyDtoDAsync_v2(long dst, long src, long bytes, MemorySegment hStream) {
    return copyAsync(Kind.DEVICE, dst, Kind.DEVICE, src, bytes, hStream);
  }

  int cuMemcpyAsync(long dst, long src, long bytes, MemorySegment hStream) {
    return copyAsync(Kind.UNIFIED, dst, Kind.UNIFIED, src, bytes, hStream);
  }

  private Copy prepare(Context context, Place destination, Place source, long bytes) {
    if (bytes < 0) {
      throw CudaFailure.invalidValue(Long.toUnsignedString(bytes) + " bytes");
    }
    Copy copy = Copy.line(memory(context), destination, source, bytes);
    copy.check();
    return copy;
  }

  private int copy(Kind dstKind, long dst, Kind srcKind, long src, long bytes) {
    Context context = context();
    guard().checkSynchronousCall(defaultStream(context), thread(), "a synchronous copy");
    if (bytes == 0) {
      return SUCCESS;
    }
    Copy copy = prepare(context, Place.line(dstKind, dst), Place.line(srcKind, src), bytes);
    Marker end = defaultStream(context).submit(copy, List.of());
    if (copy.withinDevice()) {
      return SUCCESS;
    }
    end.awaitOnHost();
    context.device().engine().output().flush();
    return context.result().code();
  }

  private int copyAsync(
      Kind dstKind, long dst, Kind srcKind, long src, long bytes, MemorySegment hStream) {
    Context context = context();
    Stream stream = stream(context, hStream);
    boolean capturing = captures().capturing(stream);
    if (bytes == 0) {
      return SUCCESS;
    }
    Place source = Place.line(srcKind, src);
    Place destination = Place.line(dstKind, dst);
    Copy copy = prepare(context, destination, source, bytes);
    boolean fromPageable = source.pageable(copy.memory());
    if (capturing || (!fromPageable && !destination.pageable(copy.memory()))) {
      stream.perform(copy);
      return SUCCESS;
    }
    if (fromPageable && bytes <= STAGED_BYTES && !destination.onHost(copy.memory())) {
      stream.perform(StagedCopy.of(copy.memory(), destination, src, (int) bytes));
      return SUCCESS;
    }
    stream.submit(copy, List.of()).awaitOnHost();
    return stream.context().result().code();
  }
}
