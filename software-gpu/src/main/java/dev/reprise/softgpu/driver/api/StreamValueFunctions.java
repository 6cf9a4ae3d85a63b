package dev.reprise.softgpu.driver.api;

import dev.reprise.softgpu.driver.context.Context;
import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.context.Stream;
import dev.reprise.softgpu.driver.operation.WordBatch;
import dev.reprise.softgpu.driver.operation.WordOperation;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Stream memory operations: writing a number in stream order, waiting for one, and batches of both.
 * In a capture they become a batch memory operation node.
 */
final class StreamValueFunctions extends Functions {

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

  int cuStreamBatchMemOp_v2(MemorySegment hStream, int count, MemorySegment array, int flags) {
    Context context = context();
    Stream stream = stream(context, hStream);
    stream.perform(WordOperations.batch(context, count, array, flags));
    return SUCCESS;
  }

  private int write(MemorySegment hStream, long address, long value, int bytes, int flags) {
    Context context = context();
    Stream stream = stream(context, hStream);
    return perform(stream, WordOperations.write(context, address, value, bytes, flags));
  }

  private int await(MemorySegment hStream, long address, long value, int bytes, int flags) {
    Context context = context();
    Stream stream = stream(context, hStream);
    return perform(stream, WordOperations.await(context, address, value, bytes, flags));
  }

  private static int perform(Stream stream, WordOperation operation) {
    stream.perform(new WordBatch(List.of(operation)));
    return SUCCESS;
  }
}
