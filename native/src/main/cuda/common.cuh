// SPDX-License-Identifier: Apache-2.0
// What every kernel of the decode step shares: the words of the status word, padding, and a few warp helpers.
//
// A row is one token of one sequence at one position. positions[row] < 0 marks a row of padding and nothing else does:
// the other inputs of such a row may hold anything, so nothing read through them may be used as an index.
#pragma once

#include <stddef.h>
#include <stdint.h>

#define KERNEL extern "C" __global__ void

constexpr unsigned kAllLanes = 0xffffffffu;

// Bits of the device's status word. A kernel that meets broken input sets a bit and never faults; the host reads the
// word when it reads the tokens. Values are part of the contract (StatusBit in Java).
constexpr int kPositionBeyondRotary = 1;
constexpr int kPositionBeyondTable = 2;
constexpr int kBlockOutOfPool = 4;
constexpr int kSequenceOutOfRange = 8;
constexpr int kNothingToSample = 16;
constexpr int kRowNotAdvanced = 32;
constexpr int kRowOutOfRange = 64;

__device__ __forceinline__ float quiet_nan() { return __int_as_float(0x7fffffff); }

// Sum over the block in an order fixed by blockDim alone: a butterfly in each warp, then the warps in their order.
__device__ __forceinline__ float block_sum(float v) {
  __shared__ float partial[32];
#pragma unroll
  for (int mask = 16; mask > 0; mask >>= 1) v += __shfl_xor_sync(kAllLanes, v, mask);
  int warps = blockDim.x >> 5;
  if (warps == 1) return v;
  if ((threadIdx.x & 31) == 0) partial[threadIdx.x >> 5] = v;
  __syncthreads();
  float sum = partial[0];
  for (int w = 1; w < warps; w++) sum += partial[w];
  return sum;
}

// Two f16 values, low half first, widened exactly.
__device__ __forceinline__ void widen(unsigned packed, float& a, float& b) {
  unsigned short lo, hi;
  asm("mov.b32 {%0, %1}, %2;" : "=h"(lo), "=h"(hi) : "r"(packed));
  asm("cvt.f32.f16 %0, %1;" : "=f"(a) : "h"(lo));
  asm("cvt.f32.f16 %0, %1;" : "=f"(b) : "h"(hi));
}

__device__ __forceinline__ float widen(unsigned short half) {
  float f;
  asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(half));
  return f;
}
