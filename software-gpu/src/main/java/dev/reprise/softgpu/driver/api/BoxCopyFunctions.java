package dev.reprise.softgpu.driver.api;

import dev.reprise.softgpu.driver.context.Context;
import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.context.Stream;
import dev.reprise.softgpu.driver.operation.Copy;
import dev.reprise.softgpu.driver.queue.Marker;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Copies of rows and of slices of rows. Any pitch will do, so the unaligned form is no other. */
final class BoxCopyFunctions extends Functions {

  BoxCopyFunctions(SoftwareGpu gpu) {
    super(gpu);
  }

  int cuMemcpy2D_v2(MemorySegment pCopy) {
    return copy(NodeParameters.copy2D(context(), pCopy));
  }

  int cuMemcpy2DUnaligned_v2(MemorySegment pCopy) {
    return copy(NodeParameters.copy2D(context(), pCopy));
  }

  int cuMemcpy3D_v2(MemorySegment pCopy) {
    return copy(NodeParameters.copy3D(context(), pCopy));
  }

  int cuMemcpy2DAsync_v2(MemorySegment pCopy, MemorySegment hStream) {
    return copyAsync(NodeParameters.copy2D(context(), pCopy), hStream);
  }

  int cuMemcpy3DAsync_v2(MemorySegment pCopy, MemorySegment hStream) {
    return copyAsync(NodeParameters.copy3D(context(), pCopy), hStream);
  }

  private int copy(Copy copy) {
    Context context = context();
    guard().checkSynchronousCall(defaultStream(context), thread(), "a synchronous copy");
    if (copy.empty()) {
      return SUCCESS;
    }
    Marker end = defaultStream(context).submit(copy, List.of());
    if (copy.withinDevice()) {
      return SUCCESS;
    }
    end.awaitOnHost();
    return context.result().code();
  }

  /** Waits where pageable memory takes part, as the caller may change it afterwards. */
  private int copyAsync(Copy copy, MemorySegment hStream) {
    Stream stream = stream(context(), hStream);
    boolean capturing = captures().capturing(stream);
    if (copy.empty()) {
      return SUCCESS;
    }
    if (capturing || !copy.pageable()) {
      stream.perform(copy);
      return SUCCESS;
    }
    stream.submit(copy, List.of()).awaitOnHost();
    return stream.context().result().code();
  }
}
