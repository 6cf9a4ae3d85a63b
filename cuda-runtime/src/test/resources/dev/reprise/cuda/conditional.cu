// Compile with: nvcc -ptx -arch=compute_75 -O3 conditional.cu -o conditional.ptx
#include <cuda_runtime.h>

// Sets the condition to a number in memory.
extern "C" __global__ void decide(cudaGraphConditionalHandle handle, const unsigned *value) {
  cudaGraphSetConditional(handle, *value);
}

// Counts down, and says whether anything is left.
extern "C" __global__ void countDown(cudaGraphConditionalHandle handle, int *left) {
  int now = *left - 1;
  *left = now;
  cudaGraphSetConditional(handle, now > 0);
}
