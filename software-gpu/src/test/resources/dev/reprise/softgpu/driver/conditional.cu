// nvcc -ptx -arch=compute_75 -O3 conditional.cu -o conditional.ptx
#include <cuda_runtime.h>
// Sets the condition to a number in memory.
extern "C" __global__ void decide(cudaGraphConditionalHandle handle, const unsigned *value) {
  cudaGraphSetConditional(handle, *value);
}
// Counts down, and says whether anything is left.
extern "C" __global__ void count_down(cudaGraphConditionalHandle handle, int *left) {
  int now = *left - 1;
  *left = now;
  cudaGraphSetConditional(handle, now > 0);
}
// Only one lane of a warp that diverges sets it.
extern "C" __global__ void decide_by_lane(cudaGraphConditionalHandle handle, unsigned lane) {
  if (threadIdx.x == lane) cudaGraphSetConditional(handle, threadIdx.x);
}
extern "C" __global__ void add(int *to, int amount) { *to += amount; }
