package dev.reprise.softgpu.memory;

/** An allocation would exceed the capacity of the device, or the host cannot back it. */
public final class OutOfDeviceMemoryException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public OutOfDeviceMemoryException(String message) {
    super(message);
  }
}
