package dev.reprise.softgpu.driver.sanitizer;

import dev.reprise.softgpu.driver.queue.AccessSink;

/** Takes no note of anything; for those who want to know of one kind of access. */
class NoAccesses implements AccessSink {

  @Override
  public void read(long address, long bytes) {}

  @Override
  public void write(long address, long bytes) {}

  @Override
  public void copy(long to, long from, long bytes) {}

  @Override
  public void allocate(long address, long bytes) {}

  @Override
  public void free(long address, long bytes) {}

  @Override
  public void release(long address) {}

  @Override
  public void acquire(long address) {}
}
