package dev.reprise.cuda;

import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * What a stream does with memory: copies, fills, allocations, and numbers that streams wait for;
 * {@link Stream} has the rules that hold for all of it.
 */
abstract sealed class StreamMemoryOperations permits Stream {

  abstract StreamMemory memory();

  abstract StreamValues values();

  abstract StreamPeers peers();

  /** The device it belongs to. */
  public abstract Device device();

  /** Copies page-locked host memory to the device ({@code cuMemcpyHtoDAsync}). */
  public void copyToDevice(
      HostBuffer src, long srcOffset, DeviceBuffer dst, long dstOffset, long bytes) {
    memory().copyToDevice(src, srcOffset, dst, dstOffset, bytes);
  }

  /** Copies device memory to page-locked host memory ({@code cuMemcpyDtoHAsync}). */
  public void copyToHost(
      DeviceBuffer src, long srcOffset, HostBuffer dst, long dstOffset, long bytes) {
    memory().copyToHost(MemoryPlace.of(src, srcOffset), MemoryPlace.of(dst, dstOffset), bytes);
  }

  /**
   * Copies device memory to device memory of the same device ({@code cuMemcpyDtoDAsync}).
   *
   * @throws IllegalArgumentException if the ranges overlap
   */
  public void copy(DeviceBuffer src, long srcOffset, DeviceBuffer dst, long dstOffset, long bytes) {
    memory().copy(MemoryPlace.of(src, srcOffset), MemoryPlace.of(dst, dstOffset), bytes);
  }

  /**
   * Copies rows from one pitch to another, between any of device and page-locked host memory
   * ({@code cuMemcpy2DAsync}). With no rows, or empty ones, it does nothing.
   *
   * @param rowBytes bytes of a row that are copied
   * @throws IllegalArgumentException if a row is longer than its pitch, or if the rows overlap:
   *     within one buffer they may be other rows, or other columns of rows of the same pitch
   */
  public void copy2D(PitchedMemory src, PitchedMemory dst, long rowBytes, long rows) {
    memory().copy2D(src, dst, rowBytes, rows);
  }

  /** As {@link #copy2D}, for slices of rows ({@code cuMemcpy3DAsync}). */
  public void copy3D(PitchedMemory src, PitchedMemory dst, long rowBytes, long rows, long slices) {
    memory().copy3D(src, dst, rowBytes, rows, slices);
  }

  /**
   * Copies device memory to device memory of another device, one of which is that of this stream
   * ({@code cuMemcpyPeerAsync}). It needs no {@link PeerAccess}. Work of the other device is
   * ordered with it by events, as between any two streams.
   *
   * @throws IllegalArgumentException if neither side is on this device, or if the ranges overlap
   */
  public void copyPeer(
      DeviceBuffer src, long srcOffset, DeviceBuffer dst, long dstOffset, long bytes) {
    peers().copy(MemoryPlace.of(src, srcOffset), MemoryPlace.of(dst, dstOffset), bytes);
  }

  /**
   * As {@link #copyPeer}, for slices of rows ({@code cuMemcpy3DPeerAsync}); the limits of {@link
   * #copy2D} hold.
   */
  public void copyPeer3D(
      PitchedMemory src, PitchedMemory dst, long rowBytes, long rows, long slices) {
    peers().copy3D(src, dst, rowBytes, rows, slices);
  }

  /** Sets {@code count} bytes from {@code offset} bytes on ({@code cuMemsetD8Async}). */
  public void fill8(DeviceBuffer dst, long offset, long count, byte value) {
    memory().fill8(MemoryPlace.of(dst, offset), count, value);
  }

  /**
   * Sets {@code count} 16-bit words from {@code offset} bytes on, a multiple of 2 ({@code
   * cuMemsetD16Async}).
   */
  public void fill16(DeviceBuffer dst, long offset, long count, short value) {
    memory().fill16(MemoryPlace.of(dst, offset), count, value);
  }

  /**
   * Sets {@code count} 32-bit words from {@code offset} bytes on, a multiple of 4 ({@code
   * cuMemsetD32Async}).
   */
  public void fill32(DeviceBuffer dst, long offset, long count, int value) {
    memory().fill32(MemoryPlace.of(dst, offset), count, value);
  }

  /** Sets {@code width} bytes of each of some rows of memory ({@code cuMemsetD2D8Async}). */
  public void fill2D8(PitchedMemory dst, long width, long rows, byte value) {
    memory().fill2D8(dst, width, rows, value);
  }

  /**
   * Sets {@code width} 16-bit words of each row ({@code cuMemsetD2D16Async}); offset and pitch are
   * multiples of 2.
   */
  public void fill2D16(PitchedMemory dst, long width, long rows, short value) {
    memory().fill2D16(dst, width, rows, value);
  }

  /**
   * Sets {@code width} 32-bit words of each row ({@code cuMemsetD2D32Async}); offset and pitch are
   * multiples of 4.
   */
  public void fill2D32(PitchedMemory dst, long width, long rows, int value) {
    memory().fill2D32(dst, width, rows, value);
  }

  /**
   * Copies all of a segment to the device, in the order of the stream, and returns when that is
   * done ({@code cuMemcpyHtoDAsync}). Heap memory goes by way of native memory.
   *
   * @param src native or heap memory of any alignment
   */
  public void write(MemorySegment src, DeviceBuffer dst, long dstOffset) {
    memory().write(src, dst, dstOffset);
  }

  /** As {@link #write(MemorySegment, DeviceBuffer, long)}. */
  public void write(int[] src, DeviceBuffer dst, long dstOffset) {
    write(MemorySegment.ofArray(src), dst, dstOffset);
  }

  /** As {@link #write(MemorySegment, DeviceBuffer, long)}. */
  public void write(long[] src, DeviceBuffer dst, long dstOffset) {
    write(MemorySegment.ofArray(src), dst, dstOffset);
  }

  /** As {@link #write(MemorySegment, DeviceBuffer, long)}. */
  public void write(float[] src, DeviceBuffer dst, long dstOffset) {
    write(MemorySegment.ofArray(src), dst, dstOffset);
  }

  /** As {@link #write(MemorySegment, DeviceBuffer, long)}. */
  public void write(double[] src, DeviceBuffer dst, long dstOffset) {
    write(MemorySegment.ofArray(src), dst, dstOffset);
  }

  /**
   * Fills a segment from the device, in the order of the stream, and returns when that is done
   * ({@code cuMemcpyDtoHAsync}). Heap memory goes by way of native memory.
   *
   * @param dst native or heap memory of any alignment
   */
  public void read(DeviceBuffer src, long srcOffset, MemorySegment dst) {
    memory().read(src, srcOffset, dst);
  }

  /** As {@link #read(DeviceBuffer, long, MemorySegment)}. */
  public void read(DeviceBuffer src, long srcOffset, int[] dst) {
    read(src, srcOffset, MemorySegment.ofArray(dst));
  }

  /** As {@link #read(DeviceBuffer, long, MemorySegment)}. */
  public void read(DeviceBuffer src, long srcOffset, long[] dst) {
    read(src, srcOffset, MemorySegment.ofArray(dst));
  }

  /** As {@link #read(DeviceBuffer, long, MemorySegment)}. */
  public void read(DeviceBuffer src, long srcOffset, float[] dst) {
    read(src, srcOffset, MemorySegment.ofArray(dst));
  }

  /** As {@link #read(DeviceBuffer, long, MemorySegment)}. */
  public void read(DeviceBuffer src, long srcOffset, double[] dst) {
    read(src, srcOffset, MemorySegment.ofArray(dst));
  }

  /**
   * Allocates device memory from the default pool, as {@link #allocate(String, long, MemoryPool)}.
   */
  public DeviceBuffer allocate(String label, long bytes) {
    return allocate(label, bytes, device().defaultMemoryPool());
  }

  /**
   * Allocates device memory in the order of this stream ({@code cuMemAllocFromPoolAsync}); its
   * contents are undefined. Waits for nothing.
   *
   * <p>Operations on this stream may use it at once. Those on another stream may once they are
   * ordered behind the allocation, by an {@link Event} recorded after this call or by waiting for
   * the stream. When it is closed it is freed in the order of this stream, behind the uses on this
   * stream without waiting for them, and once the uses on other streams are done. It keeps the
   * stream alive.
   *
   * <p>While this stream is captured, the allocation becomes a node, and the buffer is memory of
   * the graph: see {@link MemoryAllocNode#buffer()}. Closing it in the same capture, or {@link
   * #free}, adds the node that frees it.
   *
   * @param label its name in messages
   * @param bytes at least 1
   * @throws IllegalStateException if this thread captures another stream
   */
  public DeviceBuffer allocate(String label, long bytes, MemoryPool pool) {
    return memory().allocate(label, bytes, pool);
  }

  /**
   * Frees memory that a replay of a graph left allocated, in the order of this stream ({@code
   * cuMemFreeAsync}). The program orders it behind uses on other streams. The buffer stays open:
   * the next replay allocates it again.
   *
   * <p>In a capture it becomes a node. What the capture allocates must not be in use on streams
   * that were not joined before.
   *
   * @throws IllegalArgumentException if it is no memory of a graph
   * @throws IllegalStateException if it is not allocated, or freed already by this capture
   */
  public void free(DeviceBuffer buffer) {
    memory().free(buffer);
  }

  /**
   * Writes a number in the order of the stream, visible to other streams, kernels that poll and the
   * host ({@code cuStreamWriteValue32}).
   *
   * @param offset in bytes; the address is a multiple of 4
   */
  public void writeValue32(DeviceBuffer dst, long offset, int value) {
    values().writeValue32(MemoryPlace.of(dst, offset), value);
  }

  /** As {@link #writeValue32(DeviceBuffer, long, int)}, to page-locked host memory. */
  public void writeValue32(HostBuffer dst, long offset, int value) {
    values().writeValue32(MemoryPlace.of(dst, offset), value);
  }

  /**
   * As {@link #writeValue32(DeviceBuffer, long, int)}, with 64 bits at a multiple of 8 ({@code
   * cuStreamWriteValue64}).
   */
  public void writeValue64(DeviceBuffer dst, long offset, long value) {
    values().writeValue64(MemoryPlace.of(dst, offset), value);
  }

  /** As {@link #writeValue32(DeviceBuffer, long, int)}, with 64 bits of page-locked host memory. */
  public void writeValue64(HostBuffer dst, long offset, long value) {
    values().writeValue64(MemoryPlace.of(dst, offset), value);
  }

  /**
   * Lets the work issued from now on wait until a number in memory meets a condition ({@code
   * cuStreamWaitValue32}). If it never does, the stream never goes on.
   *
   * @param offset in bytes; the address is a multiple of 4
   */
  public void waitValue32(DeviceBuffer src, long offset, int value, WaitCondition condition) {
    values().waitValue32(MemoryPlace.of(src, offset), value, condition);
  }

  /**
   * As {@link #waitValue32(DeviceBuffer, long, int, WaitCondition)}, in page-locked host memory.
   */
  public void waitValue32(HostBuffer src, long offset, int value, WaitCondition condition) {
    values().waitValue32(MemoryPlace.of(src, offset), value, condition);
  }

  /**
   * As {@link #waitValue32(DeviceBuffer, long, int, WaitCondition)}, with 64 bits ({@code
   * cuStreamWaitValue64}).
   */
  public void waitValue64(DeviceBuffer src, long offset, long value, WaitCondition condition) {
    values().waitValue64(MemoryPlace.of(src, offset), value, condition);
  }

  /** As {@link #waitValue64(DeviceBuffer, long, long, WaitCondition)}, in host memory. */
  public void waitValue64(HostBuffer src, long offset, long value, WaitCondition condition) {
    values().waitValue64(MemoryPlace.of(src, offset), value, condition);
  }

  /**
   * Writes numbers and waits for others, one after the other, as one operation ({@code
   * cuStreamBatchMemOp}); as {@link #writeValue32(DeviceBuffer, long, int)} and {@link
   * #waitValue32(DeviceBuffer, long, int, WaitCondition)} for each. In a capture it becomes a
   * {@link BatchMemoryNode}.
   *
   * @param operations 1 to 255
   * @throws IllegalArgumentException if there are none or more, or if memory belongs to another
   *     device
   */
  public void batch(List<WordOperation> operations) {
    values().batch(List.copyOf(operations));
  }
}
