// SPDX-License-Identifier: Apache-2.0
// Token embedding: out[row][:] = table[tokens[row]][:], one block a row.
// A row of padding becomes zeros. A live row whose token is outside [0, vocab) becomes NaN, so that it is never silent.
#include "common.cuh"

__device__ __forceinline__ float4 load4(const float* p) { return *reinterpret_cast<const float4*>(p); }

__device__ __forceinline__ float4 load4(const unsigned short* p) {
  uint2 packed = *reinterpret_cast<const uint2*>(p);
  float4 v;
  widen(packed.x, v.x, v.y);
  widen(packed.y, v.z, v.w);
  return v;
}

__device__ __forceinline__ float load1(const float* p) { return *p; }
__device__ __forceinline__ float load1(const unsigned short* p) { return widen(*p); }

template <typename T>
__device__ __forceinline__ void embed_row(const T* __restrict__ table, const int* __restrict__ tokens,
                                          const int* __restrict__ positions, float* __restrict__ out, int dim,
                                          int vocab) {
  int row = blockIdx.x;
  float* to = out + static_cast<size_t>(row) * dim;
  bool live = positions[row] >= 0;
  int token = tokens[row];
  if (!live || static_cast<unsigned>(token) >= static_cast<unsigned>(vocab)) {
    float fill = live ? quiet_nan() : 0.0f;
    for (int i = threadIdx.x; i < dim; i += blockDim.x) to[i] = fill;
    return;
  }
  const T* from = table + static_cast<size_t>(token) * dim;
  if ((dim & 3) == 0) {
    for (int i = threadIdx.x * 4; i < dim; i += blockDim.x * 4) *reinterpret_cast<float4*>(to + i) = load4(from + i);
  } else {
    for (int i = threadIdx.x; i < dim; i += blockDim.x) to[i] = load1(from + i);
  }
}

KERNEL embed_rows_f32(const float* table, const int* tokens, const int* positions, float* out, int dim, int vocab) {
  embed_row(table, tokens, positions, out, dim, vocab);
}

KERNEL embed_rows_f16(const unsigned short* table, const int* tokens, const int* positions, float* out, int dim,
                      int vocab) {
  embed_row(table, tokens, positions, out, dim, vocab);
}
