package dev.reprise.cuda;

import dev.reprise.bindings.cuda.cuda_h;

/**
 * A property of a kernel as a number (CUDA Driver API, "Execution Control", {@code
 * cuFuncGetAttribute}).
 */
public enum KernelAttribute {
  /** Most threads a block may have, by registers and limits of the kernel. */
  MAX_THREADS_PER_BLOCK(cuda_h.CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK()),
  /** Bytes of static shared memory a block. */
  SHARED_SIZE_BYTES(cuda_h.CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES()),
  /** Bytes of constant memory that the module sets up for the kernel. */
  CONST_SIZE_BYTES(cuda_h.CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES()),
  /** Bytes of local memory a thread, spills included. */
  LOCAL_SIZE_BYTES(cuda_h.CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES()),
  /** Registers a thread. */
  NUM_REGS(cuda_h.CU_FUNC_ATTRIBUTE_NUM_REGS()),
  /** PTX version it was compiled for, 10 × major + minor. */
  PTX_VERSION(cuda_h.CU_FUNC_ATTRIBUTE_PTX_VERSION()),
  /** Architecture of the machine code, 10 × major + minor. */
  BINARY_VERSION(cuda_h.CU_FUNC_ATTRIBUTE_BINARY_VERSION()),
  /** Whether it was compiled with global caching in L1. */
  CACHE_MODE_CA(cuda_h.CU_FUNC_ATTRIBUTE_CACHE_MODE_CA()),
  /** Most bytes of dynamic shared memory a launch may ask for. */
  MAX_DYNAMIC_SHARED_SIZE_BYTES(cuda_h.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES()),
  /** Preferred share of L1 used as shared memory, in percent; -1 for the default. */
  PREFERRED_SHARED_MEMORY_CARVEOUT(cuda_h.CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT());

  private final int code;

  KernelAttribute(int code) {
    this.code = code;
  }

  int code() {
    return code;
  }
}
