// nvcc -ptx -arch=compute_90a -O3 -std=c++17 tensors.cu -o tensors.ptx
// A tile of a matrix in, each element times a factor, and out again.
#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

extern "C" __global__ void scale(const __grid_constant__ CUtensorMap in,
                                 const __grid_constant__ CUtensorMap out, int factor) {
  __shared__ alignas(1024) int tile[16][32];
  __shared__ alignas(8) uint64_t bar;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&bar, blockDim.x);
    ptx::fence_proxy_async(ptx::space_shared);
  }
  __syncthreads();
  const int32_t at[2] = {(int)blockIdx.x * 32, (int)blockIdx.y * 16};
  uint64_t token;
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &in, at, &bar);
    token = ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                           &bar, sizeof(tile));
  } else {
    token = ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar);
  }
  while (!ptx::mbarrier_try_wait(&bar, token)) {
  }
  for (int k = threadIdx.x; k < 16 * 32; k += blockDim.x) tile[k / 32][k % 32] *= factor;
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &out, at, tile);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
  }
}
