package dev.reprise.cuda;

/** A launch with its argument block. */
public final class PreparedLaunch {

  public Kernel kernel() {
    throw new UnsupportedOperationException();
  }

  public LaunchConfig config() {
    throw new UnsupportedOperationException();
  }

  public void setI32(int index, int value) {
    throw new UnsupportedOperationException();
  }

  public void setI64(int index, long value) {
    throw new UnsupportedOperationException();
  }

  public void setF32(int index, float value) {
    throw new UnsupportedOperationException();
  }

  public void setF64(int index, double value) {
    throw new UnsupportedOperationException();
  }

  public void setBuffer(int index, DeviceBuffer buffer, long offset) {
    throw new UnsupportedOperationException();
  }

  public void launch(Stream stream) {
    throw new UnsupportedOperationException();
  }
}
