package dev.reprise.softgpu.driver.api;

import dev.reprise.softgpu.driver.context.Context;
import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.context.Stream;
import dev.reprise.softgpu.driver.memory.Block;
import dev.reprise.softgpu.driver.memory.DeviceMemory;
import dev.reprise.softgpu.driver.operation.Fill;
import dev.reprise.softgpu.driver.operation.Place;
import dev.reprise.softgpu.driver.operation.Place.Kind;
import dev.reprise.softgpu.driver.support.CudaFailure;
import java.lang.foreign.MemorySegment;

/**
 * Fills. Those without a stream run on the default stream and wait only where the memory is the
 * host's, or was marked by {@code cuPointerSetAttribute}.
 */
final class FillFunctions extends Functions {

  FillFunctions(SoftwareGpu gpu) {
    super(gpu);
  }

  int cuMemsetD8_v2(long dst, byte value, long count) {
    return fill(dst, 0, value & 0xff, 1, count, 1);
  }

  int cuMemsetD16_v2(long dst, short value, long count) {
    return fill(dst, 0, value & 0xffff, 2, count, 1);
  }

  int cuMemsetD32_v2(long dst, int value, long count) {
    return fill(dst, 0, value, 4, count, 1);
  }

  int cuMemsetD2D8_v2(long dst, long pitch, byte value, long width, long height) {
    return fill(dst, pitch, value & 0xff, 1, width, height);
  }

  int cuMemsetD2D16_v2(long dst, long pitch, short value, long width, long height) {
    return fill(dst, pitch, value & 0xffff, 2, width, height);
  }

  int cuMemsetD2D32_v2(long dst, long pitch, int value, long width, long height) {
    return fill(dst, pitch, value, 4, width, height);
  }

  int cuMemsetD8Async(long dst, byte value, long count, MemorySegment hStream) {
    return fillAsync(dst, 0, value & 0xff, 1, count, 1, hStream);
  }

  int cuMemsetD16Async(long dst, short value, long count, MemorySegment hStream) {
    return fillAsync(dst, 0, value & 0xffff, 2, count, 1, hStream);
  }

  int cuMemsetD32Async(long dst, int value, long count, MemorySegment hStream) {
    return fillAsync(dst, 0, value, 4, count, 1, hStream);
  }

  int cuMemsetD2D8Async(
      long dst, long pitch, byte value, long width, long height, MemorySegment hStream) {
    return fillAsync(dst, pitch, value & 0xff, 1, width, height, hStream);
  }

  int cuMemsetD2D16Async(
      long dst, long pitch, short value, long width, long height, MemorySegment hStream) {
    return fillAsync(dst, pitch, value & 0xffff, 2, width, height, hStream);
  }

  int cuMemsetD2D32Async(
      long dst, long pitch, int value, long width, long height, MemorySegment hStream) {
    return fillAsync(dst, pitch, value, 4, width, height, hStream);
  }

  private int fill(long dst, long pitch, int value, int elementSize, long width, long height) {
    Context context = context();
    guard().checkSynchronousCall(defaultStream(context), thread(), "a fill without a stream");
    return submit(
        context, defaultStream(context), dst, pitch, value, elementSize, width, height, true);
  }

  private int fillAsync(
      long dst,
      long pitch,
      int value,
      int elementSize,
      long width,
      long height,
      MemorySegment hStream) {
    Context context = context();
    Stream stream = stream(context, hStream);
    return submit(context, stream, dst, pitch, value, elementSize, width, height, false);
  }

  private int submit(
      Context context,
      Stream stream,
      long dst,
      long pitch,
      int value,
      int elementSize,
      long width,
      long height,
      boolean withoutStream) {
    if (width == 0 || height == 0) {
      return SUCCESS;
    }
    if (height > 1 && Long.compareUnsigned(pitch, width * elementSize) < 0) {
      throw CudaFailure.invalidValue("a pitch of %d for rows of %d".formatted(pitch, width));
    }
    Place destination = new Place(Kind.DEVICE, dst, pitch, 0);
    Fill fill = new Fill(memory(context), destination, value, elementSize, width, height);
    fill.check();
    stream.perform(fill);
    if (withoutStream && waits(fill.memory(), destination)) {
      stream.tail().awaitOnHost();
      return context.result().code();
    }
    return SUCCESS;
  }

  private static boolean waits(DeviceMemory memory, Place destination) {
    Block block = memory.find(destination.address());
    return destination.onHost(memory) || (block != null && memory.alwaysSynchronous(block));
  }
}
