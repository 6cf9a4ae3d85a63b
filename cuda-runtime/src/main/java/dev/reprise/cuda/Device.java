package dev.reprise.cuda;

/** A CUDA device with its primary context. */
public final class Device implements AutoCloseable {

  public static int count() {
    throw new UnsupportedOperationException();
  }

  public static Device open(int ordinal) {
    throw new UnsupportedOperationException();
  }

  public int ordinal() {
    throw new UnsupportedOperationException();
  }

  public String name() {
    throw new UnsupportedOperationException();
  }

  public long totalMemoryBytes() {
    throw new UnsupportedOperationException();
  }

  public MemoryInfo memoryInfo() {
    throw new UnsupportedOperationException();
  }

  public int attribute(DeviceAttribute attribute) {
    throw new UnsupportedOperationException();
  }

  public ComputeCapability computeCapability() {
    throw new UnsupportedOperationException();
  }

  public int multiprocessorCount() {
    throw new UnsupportedOperationException();
  }

  public int driverVersion() {
    throw new UnsupportedOperationException();
  }

  public String uuid() {
    throw new UnsupportedOperationException();
  }

  public Stream createStream(String label) {
    throw new UnsupportedOperationException();
  }

  public Stream createStream(String label, int priority) {
    throw new UnsupportedOperationException();
  }

  public Event createEvent() {
    throw new UnsupportedOperationException();
  }

  public Event createEvent(String label) {
    throw new UnsupportedOperationException();
  }

  public Event createTimingEvent() {
    throw new UnsupportedOperationException();
  }

  public Event createTimingEvent(String label) {
    throw new UnsupportedOperationException();
  }

  public DeviceBuffer allocate(String label, long bytes) {
    throw new UnsupportedOperationException();
  }

  public PinnedBuffer allocatePinned(String label, long bytes) {
    throw new UnsupportedOperationException();
  }

  public CudaModule loadModule(String label, String ptx) {
    throw new UnsupportedOperationException();
  }

  public void synchronize() {
    throw new UnsupportedOperationException();
  }

  @Override
  public void close() {
    throw new UnsupportedOperationException();
  }
}
