package dev.reprise.cuda;

/** Device memory. */
public final class DeviceBuffer implements AutoCloseable {

  public Device device() {
    throw new UnsupportedOperationException();
  }

  public String label() {
    throw new UnsupportedOperationException();
  }

  public long address() {
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
