// nvcc -ptx -arch=compute_90a -O3 -std=c++17 tensor_modes.cu -o tensor_modes.ptx
// Pixels for a convolution, and a tensor map that the kernel moves.
#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int PIXELS = 32;
constexpr int CHANNELS = 8;

static __device__ void arrive(uint64_t* bar, int bytes, int& phase) {
  if (threadIdx.x == 0) {
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, bar, bytes);
  }
  while (!ptx::mbarrier_try_wait_parity(bar, phase)) {
  }
  phase ^= 1;
}

static __device__ void begin(uint64_t* bar) {
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(bar, 1);
    ptx::fence_proxy_async(ptx::space_shared);
  }
  __syncthreads();
}

// One output channel of a convolution of NHWC images; a block makes 32 pixels.
extern "C" __global__ void convolve(const __grid_constant__ CUtensorMap in, const int* weights,
                                    int* out, int total, int height, int width, int rows,
                                    int columns, int stride, int pad, int dilation) {
  __shared__ alignas(1024) int tile[PIXELS][CHANNELS];
  __shared__ alignas(8) uint64_t bar;
  begin(&bar);
  const int first = blockIdx.x * PIXELS;
  const int q = first % width * stride - pad;
  const int p = first / width % height * stride - pad;
  const int n = first / width / height;
  int phase = 0;
  int sum = 0;
  for (int r = 0; r < rows; r++) {
    for (int s = 0; s < columns; s++) {
      if (threadIdx.x == 0) {
        asm volatile(
            "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes"
            " [%0], [%1, {%2, %3, %4, %5}], [%6], {%7, %8};" ::
                "r"((unsigned)__cvta_generic_to_shared(tile)),
            "l"(&in), "r"(0), "r"(q), "r"(p), "r"(n),
            "r"((unsigned)__cvta_generic_to_shared(&bar)), "h"((short)(s * dilation)),
            "h"((short)(r * dilation))
            : "memory");
      }
      arrive(&bar, sizeof(tile), phase);
      for (int c = 0; c < CHANNELS; c++) {
        sum += tile[threadIdx.x][c] * weights[(r * columns + s) * CHANNELS + c];
      }
      __syncthreads();
    }
  }
  if (first + threadIdx.x < total) out[first + threadIdx.x] = sum;
}

// Copies 8 rows of 32 words by a map that a block makes of another, for a tensor of its own.
extern "C" __global__ void moved(const __grid_constant__ CUtensorMap model, CUtensorMap* maps,
                                 int* const* tensors, const int* rows, int* out) {
  __shared__ alignas(1024) int tile[8][32];
  __shared__ alignas(128) CUtensorMap map;
  __shared__ alignas(8) uint64_t bar;
  begin(&bar);
  if (threadIdx.x == 0) {
    map = model;
    ptx::tensormap_replace_global_address(ptx::space_shared, &map, tensors[blockIdx.x]);
    ptx::tensormap_replace_global_dim(ptx::space_shared, &map, ptx::n32_t<1>(), rows[blockIdx.x]);
    ptx::tensormap_replace_swizzle_mode(ptx::space_shared, &map, ptx::n32_t<0>());
  }
  __syncwarp();
  ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_gpu, &maps[blockIdx.x], &map,
                               ptx::n32_t<128>());
  ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_gpu, &maps[blockIdx.x],
                                     ptx::n32_t<128>());
  const int32_t at[2] = {0, 0};
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &maps[blockIdx.x], at,
                              &bar);
  }
  int phase = 0;
  arrive(&bar, sizeof(tile), phase);
  for (int k = 0; k < 8; k++) out[(blockIdx.x * 8 + k) * 32 + threadIdx.x] = tile[k][threadIdx.x];
}
