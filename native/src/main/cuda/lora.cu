// SPDX-License-Identifier: Apache-2.0
// Low-rank adapters (Hu et al., 2021): y[row] += scale[s] * B[s] (A[s] x[row]), where s = adapters[row].
//
// Adapters live in slots at fixed addresses, each with room for max_rank: which adapter a row uses is data, so that one
// graph serves every mix of them. A row whose adapter is below 0 has none and is not touched. Each row is computed by
// itself and its sums have an order fixed by in and rank alone, so the bits of a row do not depend on its neighbours.
#include "common.cuh"

constexpr int kWarps = 4;

template <typename T>
__device__ __forceinline__ float widened(T value) {
  if constexpr (sizeof(T) == 2) {
    return widen(value);
  } else {
    return value;
  }
}

// The slot of a live row, or -1 for none.
__device__ __forceinline__ int adapter_of(const int* __restrict__ adapters, const int* __restrict__ positions, int row,
                                          int slots, int* status) {
  if (positions[row] < 0) return -1;
  int slot = adapters[row];
  if (slot < slots) return slot;
  if (threadIdx.x == 0) atomicOr(status, kSlotOutOfRange);
  return -1;
}

__device__ __forceinline__ int rank_of(const int* __restrict__ ranks, int slot, int max_rank) {
  return max(0, min(ranks[slot], max_rank));
}

// t[row][r] = sum over i of A[s][r][i] * x[row][i]: a warp for each r, lane c takes i = c, c + 32, …
template <typename T>
__device__ __forceinline__ void shrink(const T* __restrict__ a, const float* __restrict__ x,
                                       const int* __restrict__ adapters, const int* __restrict__ ranks,
                                       const int* __restrict__ positions, float* __restrict__ t, int* status, int in,
                                       int max_rank, int slots) {
  int row = blockIdx.y;
  int slot = adapter_of(adapters, positions, row, slots, status);
  int r = blockIdx.x * kWarps + (threadIdx.x >> 5);
  if (slot < 0 || r >= rank_of(ranks, slot, max_rank)) return;
  const T* weights = a + (static_cast<size_t>(slot) * max_rank + r) * in;
  const float* input = x + static_cast<size_t>(row) * in;
  float sum = 0.0f;
  for (int i = threadIdx.x & 31; i < in; i += 32) sum = __fmaf_rn(widened(weights[i]), input[i], sum);
  sum = warp_sum(sum);
  if ((threadIdx.x & 31) == 0) t[static_cast<size_t>(row) * max_rank + r] = sum;
}

// y[row][o] += scale[s] * sum over r of B[s][r][o] * t[row][r], r ascending: a thread for each o. B is stored with the
// outputs side by side, so that the threads of a warp read neighbours.
template <typename T>
__device__ __forceinline__ void expand(const T* __restrict__ b, const float* __restrict__ t,
                                       const int* __restrict__ adapters, const int* __restrict__ ranks,
                                       const float* __restrict__ scales, const int* __restrict__ positions,
                                       float* __restrict__ y, int* status, int out, int max_rank, int slots) {
  int row = blockIdx.y;
  int slot = adapter_of(adapters, positions, row, slots, status);
  int o = blockIdx.x * blockDim.x + threadIdx.x;
  if (slot < 0 || o >= out) return;
  int rank = rank_of(ranks, slot, max_rank);
  const T* weights = b + static_cast<size_t>(slot) * max_rank * out + o;
  const float* low = t + static_cast<size_t>(row) * max_rank;
  float sum = 0.0f;
  for (int r = 0; r < rank; r++) sum = __fmaf_rn(widened(weights[static_cast<size_t>(r) * out]), low[r], sum);
  float* target = y + static_cast<size_t>(row) * out + o;
  *target = __fmaf_rn(scales[slot], sum, *target);
}

KERNEL lora_shrink_f32(const float* a, const float* x, const int* adapters, const int* ranks, const int* positions,
                       float* t, int* status, int in, int max_rank, int slots) {
  shrink(a, x, adapters, ranks, positions, t, status, in, max_rank, slots);
}

KERNEL lora_shrink_f16(const unsigned short* a, const float* x, const int* adapters, const int* ranks,
                       const int* positions, float* t, int* status, int in, int max_rank, int slots) {
  shrink(a, x, adapters, ranks, positions, t, status, in, max_rank, slots);
}

KERNEL lora_expand_f32(const float* b, const float* t, const int* adapters, const int* ranks, const float* scales,
                       const int* positions, float* y, int* status, int out, int max_rank, int slots) {
  expand(b, t, adapters, ranks, scales, positions, y, status, out, max_rank, slots);
}

KERNEL lora_expand_f16(const unsigned short* b, const float* t, const int* adapters, const int* ranks,
                       const float* scales, const int* positions, float* y, int* status, int out, int max_rank,
                       int slots) {
  expand(b, t, adapters, ranks, scales, positions, y, status, out, max_rank, slots);
}
