package dev.reprise.cuda;

import java.lang.foreign.MemorySegment;

/** Page-locked host memory. */
public final class PinnedBuffer implements AutoCloseable {

  public Device device() {
    throw new UnsupportedOperationException();
  }

  public String label() {
    throw new UnsupportedOperationException();
  }

  public MemorySegment segment() {
    throw new UnsupportedOperationException();
  }

  public long size() {
    throw new UnsupportedOperationException();
  }

  public int epoch() {
    throw new UnsupportedOperationException();
  }

  public boolean isClosed() {
    throw new UnsupportedOperationException();
  }

  @Override
  public void close() {
    throw new UnsupportedOperationException();
  }
}
