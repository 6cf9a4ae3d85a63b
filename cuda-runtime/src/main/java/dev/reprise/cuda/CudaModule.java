package dev.reprise.cuda;

/** Loaded code. */
public final class CudaModule implements AutoCloseable {

  public Device device() {
    throw new UnsupportedOperationException();
  }

  public String label() {
    throw new UnsupportedOperationException();
  }

  public Kernel kernel(String name) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void close() {
    throw new UnsupportedOperationException();
  }
}
