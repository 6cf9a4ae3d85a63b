package dev.reprise.softgpu.engine;

/** A kernel of a loaded module, decoded and ready to run. Immutable. */
public final class KernelCode {
  private final String name;
  private final int[] parameterOffsets;
  private final int[] parameterSizes;
  private final int staticSharedBytes;
  private final int localBytes;
  private final int registers;
  private final int maxThreadsPerBlock;

  KernelCode(
      String name,
      int[] parameterOffsets,
      int[] parameterSizes,
      int staticSharedBytes,
      int localBytes,
      int registers,
      int maxThreadsPerBlock) {
    this.name = name;
    this.parameterOffsets = parameterOffsets;
    this.parameterSizes = parameterSizes;
    this.staticSharedBytes = staticSharedBytes;
    this.localBytes = localBytes;
    this.registers = registers;
    this.maxThreadsPerBlock = maxThreadsPerBlock;
  }

  public String name() {
    return name;
  }

  public int parameterCount() {
    return parameterOffsets.length;
  }

  /** Byte offset of parameter {@code i} in the parameter block. */
  public int parameterOffset(int i) {
    return parameterOffsets[i];
  }

  /** Size of parameter {@code i} in bytes. */
  public int parameterSize(int i) {
    return parameterSizes[i];
  }

  /** Size of the parameter block. */
  public int parameterBytes() {
    int n = parameterOffsets.length;
    return n == 0 ? 0 : parameterOffsets[n - 1] + parameterSizes[n - 1];
  }

  /** Shared memory of the kernel's own variables, per block. */
  public int staticSharedBytes() {
    return staticSharedBytes;
  }

  /** Local memory per thread. */
  public int localBytes() {
    return localBytes;
  }

  /** 32-bit registers per thread that the code needs at once, an estimate from the PTX. */
  public int registers() {
    return registers;
  }

  /** Limit from {@code .maxntid} or {@code .reqntid}, else 1024. */
  public int maxThreadsPerBlock() {
    return maxThreadsPerBlock;
  }
}
