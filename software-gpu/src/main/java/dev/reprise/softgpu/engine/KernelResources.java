package dev.reprise.softgpu.engine;

import dev.reprise.softgpu.engine.exec.DeviceHeap;

/**
 * What kernels of one context may take beyond their own.
 *
 * @param heap what {@code malloc} gives them memory from
 * @param stackBytes local memory of a thread for functions that call themselves
 */
public record KernelResources(DeviceHeap heap, int stackBytes) {

  /** The heap that there is until another size is asked for: 8 MiB, as CUDA has it. */
  public static final long HEAP_BYTES = 8 << 20;

  /** The stack that there is until another size is asked for. */
  public static final int STACK_BYTES = 16 << 10;
}
