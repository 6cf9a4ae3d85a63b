#include <cuda_fp16.h>
// one warp per output row, float4 loads
extern "C" __global__ void matvec_f32(const float* __restrict__ w, const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  int row = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
  int lane = threadIdx.x & 31;
  if (row >= rows) return;
  const float4* wr = reinterpret_cast<const float4*>(w + (size_t)row * cols);
  const float4* xv = reinterpret_cast<const float4*>(x);
  float s = 0;
  for (int i = lane; i < cols / 4; i += 32) {
    float4 a = wr[i], b = xv[i];
    s += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
  }
  for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
  if (lane == 0) y[row] = s;
}
extern "C" __global__ void matvec_f16(const __half* __restrict__ w, const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  int row = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
  int lane = threadIdx.x & 31;
  if (row >= rows) return;
  const uint4* wr = reinterpret_cast<const uint4*>(w + (size_t)row * cols);
  const float4* xv = reinterpret_cast<const float4*>(x);
  float s = 0;
  for (int i = lane; i < cols / 8; i += 32) {
    uint4 a = wr[i]; float4 b = xv[2*i], c = xv[2*i+1];
    const __half2* h = reinterpret_cast<const __half2*>(&a);
    float2 f0 = __half22float2(h[0]), f1 = __half22float2(h[1]), f2 = __half22float2(h[2]), f3 = __half22float2(h[3]);
    s += f0.x * b.x + f0.y * b.y + f1.x * b.z + f1.y * b.w + f2.x * c.x + f2.y * c.y + f3.x * c.z + f3.y * c.w;
  }
  for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
  if (lane == 0) y[row] = s;
}
