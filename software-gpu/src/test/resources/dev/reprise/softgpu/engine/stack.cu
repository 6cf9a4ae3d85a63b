// Memory whose size is known only when it is needed.

#include <alloca.h>

__device__ __forceinline__ int reversed(const int *from, int n) {
  int *to = (int *)alloca(n * sizeof(int));
#pragma unroll 1
  for (int i = 0; i < n; i++) to[n - 1 - i] = from[i];
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < n; i++) sum = sum * 3 + to[i];
  return sum;
}

__device__ __noinline__ int squares(int n) {
  int *list = (int *)alloca(n * sizeof(int));
#pragma unroll 1
  for (int i = 0; i < n; i++) list[i] = i * i;
  return reversed(list, n);
}

// Walks a tree; each activation has a list of its own.
__device__ int tree(int depth, int width) {
  if (depth == 0) return 1;
  int *found = (int *)alloca(width * sizeof(int));
#pragma unroll 1
  for (int i = 0; i < width; i++) found[i] = tree(depth - 1, width) + i;
  return reversed(found, width);
}

extern "C" __global__ void stack(int *out, int n, int rounds) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
#pragma unroll 1
  for (int r = 0; r < rounds; r++) sum += squares(n + t % 5) + reversed(out + t % 7, n);
  out[blockDim.x * gridDim.x + t] = sum + tree(3, 2 + t % 2);
}
