package dev.reprise.softgpu.driver.api;

import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.context.Stream;
import dev.reprise.softgpu.driver.operation.KernelAttributes;
import dev.reprise.softgpu.driver.support.CallerMemory;
import dev.reprise.softgpu.driver.support.CudaFailure;
import java.lang.foreign.MemorySegment;

/** Attributes of streams, which later launches take over. */
final class StreamAttributeFunctions extends Functions {

  StreamAttributeFunctions(SoftwareGpu gpu) {
    super(gpu);
  }

  int cuStreamGetAttribute(MemorySegment hStream, int attribute, MemorySegment valueOut) {
    Stream stream = stream(context(), hStream);
    LaunchAttributes.checkStream(attribute);
    CallerMemory.struct(valueOut, KernelAttributes.BYTES, "value_out")
        .copyFrom(MemorySegment.ofArray(stream.attributes().value(attribute)));
    return SUCCESS;
  }

  int cuStreamSetAttribute(MemorySegment hStream, int attribute, MemorySegment value) {
    Stream stream = stream(context(), hStream);
    stream.attribute(attribute, LaunchAttributes.forStream(attribute, value));
    return SUCCESS;
  }

  int cuStreamCopyAttributes(MemorySegment dst, MemorySegment src) {
    Stream to = stream(context(), dst);
    Stream from = stream(context(), src);
    if (to.context() != from.context()) {
      throw CudaFailure.invalidValue(to + " and " + from + " have different contexts");
    }
    to.attributes(from.attributes());
    return SUCCESS;
  }
}
