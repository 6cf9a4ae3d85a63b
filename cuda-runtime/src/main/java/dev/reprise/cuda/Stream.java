package dev.reprise.cuda;

import java.lang.foreign.MemorySegment;

/** A non-blocking stream. */
public final class Stream implements AutoCloseable {

  public String label() {
    throw new UnsupportedOperationException();
  }

  public Device device() {
    throw new UnsupportedOperationException();
  }

  public void copyToDevice(
      PinnedBuffer src, long srcOffset, DeviceBuffer dst, long dstOffset, long bytes) {
    throw new UnsupportedOperationException();
  }

  public void copyToHost(
      DeviceBuffer src, long srcOffset, PinnedBuffer dst, long dstOffset, long bytes) {
    throw new UnsupportedOperationException();
  }

  public void copy(DeviceBuffer src, long srcOffset, DeviceBuffer dst, long dstOffset, long bytes) {
    throw new UnsupportedOperationException();
  }

  public void fill8(DeviceBuffer dst, long offset, long count, byte value) {
    throw new UnsupportedOperationException();
  }

  public void fill32(DeviceBuffer dst, long offset, long count, int value) {
    throw new UnsupportedOperationException();
  }

  public void write(MemorySegment src, DeviceBuffer dst, long dstOffset) {
    throw new UnsupportedOperationException();
  }

  public void read(DeviceBuffer src, long srcOffset, MemorySegment dst) {
    throw new UnsupportedOperationException();
  }

  public void launch(PreparedLaunch launch) {
    throw new UnsupportedOperationException();
  }

  public void record(Event event) {
    throw new UnsupportedOperationException();
  }

  public void waitFor(Event event) {
    throw new UnsupportedOperationException();
  }

  public void synchronize() {
    throw new UnsupportedOperationException();
  }

  public boolean isComplete() {
    throw new UnsupportedOperationException();
  }

  public boolean isCapturing() {
    throw new UnsupportedOperationException();
  }

  public Graph capture(CaptureBody body) {
    throw new UnsupportedOperationException();
  }

  public Graph capture(String label, CaptureBody body) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void close() {
    throw new UnsupportedOperationException();
  }
}
