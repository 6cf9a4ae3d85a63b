package dev.reprise.softgpu.driver.api;

import dev.reprise.softgpu.driver.context.Context;
import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.context.Stream;
import dev.reprise.softgpu.driver.operation.Place;
import dev.reprise.softgpu.driver.operation.ValueWait;
import dev.reprise.softgpu.driver.operation.ValueWrite;
import dev.reprise.softgpu.driver.queue.Work;
import dev.reprise.softgpu.driver.support.CudaFailure;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Stream memory operations: writing a number in stream order, and waiting for one. */
final class StreamValueFunctions extends Functions {

  private static final int NO_MEMORY_BARRIER = 1;
  private static final int FLUSH = 1 << 30;

  StreamValueFunctions(SoftwareGpu gpu) {
    super(gpu);
  }

  int cuStreamWriteValue32_v2(MemorySegment hStream, long addr, int value, int flags) {
    return write(hStream, addr, value, Integer.BYTES, flags);
  }

  int cuStreamWriteValue64_v2(MemorySegment hStream, long addr, long value, int flags) {
    return write(hStream, addr, value, Long.BYTES, flags);
  }

  int cuStreamWaitValue32_v2(MemorySegment hStream, long addr, int value, int flags) {
    return await(hStream, addr, value, Integer.BYTES, flags);
  }

  int cuStreamWaitValue64_v2(MemorySegment hStream, long addr, long value, int flags) {
    return await(hStream, addr, value, Long.BYTES, flags);
  }

  private int write(MemorySegment hStream, long address, long value, int bytes, int flags) {
    if (flags != 0 && flags != NO_MEMORY_BARRIER) {
      throw CudaFailure.invalidValue("write flags " + flags);
    }
    Context context = context();
    Stream stream = stream(context, hStream);
    check(context, address, bytes);
    return submit(stream, new ValueWrite(memory(context), address, value, bytes));
  }

  private int await(MemorySegment hStream, long address, long value, int bytes, int flags) {
    if ((flags & FLUSH) != 0) {
      throw CudaFailure.notSupported("flushing remote writes");
    }
    if (flags < 0 || flags > ValueWait.NOR) {
      throw CudaFailure.invalidValue("wait flags " + flags);
    }
    Context context = context();
    Stream stream = stream(context, hStream);
    check(context, address, bytes);
    return submit(stream, new ValueWait(memory(context), context, address, value, flags, bytes));
  }

  private void check(Context context, long address, int bytes) {
    if (address % bytes != 0) {
      throw CudaFailure.invalidValue("0x%x is not aligned to %d bytes".formatted(address, bytes));
    }
    Place.line(Place.Kind.DEVICE, address).check(memory(context), bytes, "addr");
  }

  private int submit(Stream stream, Work work) {
    if (captures().capturing(stream)) {
      throw CudaFailure.notSupported("a batch memory operation node");
    }
    stream.submit(work, List.of());
    return SUCCESS;
  }
}
