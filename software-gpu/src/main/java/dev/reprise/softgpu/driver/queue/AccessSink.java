package dev.reprise.softgpu.driver.queue;

/** Is told what a piece of work other than a kernel does to memory. */
public interface AccessSink {

  /** Reads bytes. */
  void read(long address, long bytes);

  /** Writes bytes. */
  void write(long address, long bytes);

  /** Reads bytes and writes them elsewhere. */
  void copy(long to, long from, long bytes);

  /** Makes an allocation in stream order. */
  void allocate(long address, long bytes);

  /** Frees an allocation. */
  void free(long address, long bytes);

  /** Tells those who {@link #acquire} at the same address that all before has been done. */
  void release(long address);

  /** Waits for the {@link #release} of others, or for the host. */
  void acquire(long address);
}
