package dev.reprise.softgpu.driver.memory;

/** Where a range of memory came from, which decides who may free it and how copies treat it. */
public enum MemoryKind {
  /** {@code cuMemAlloc}. */
  DEVICE,
  /** {@code cuMemAllocAsync}: from a pool, in stream order. */
  POOL,
  /** {@code cuMemHostAlloc} and {@code cuMemAllocHost}. */
  PINNED,
  /** {@code cuMemHostRegister}: memory of the caller. */
  REGISTERED,
  /** {@code cuMemAllocManaged}: memory of the host and the device at once. */
  MANAGED,
  /** {@code cuMemMap}: a part of a reserved range. */
  VIRTUAL,
  /** An allocation node of a graph. */
  GRAPH,
  /** A variable of a loaded module. */
  MODULE;

  /** True when the bytes lie in host memory that the caller can address. */
  public boolean onHost() {
    return this == PINNED || this == REGISTERED || this == MANAGED;
  }
}
