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
constexpr int kSlotOutOfRange = 128;
constexpr int kPositionBeyondBucket = 256;

__device__ __forceinline__ float quiet_nan() { return __int_as_float(0x7fffffff); }

// Shuffles of floats, all 32 lanes. Written as assembly because the intrinsics move each value to an integer register
// and back, which on a simulated device costs as much as the arithmetic.
template <int MASK>
__device__ __forceinline__ float shuffle_xor(float v) {
  float other;
  asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, -1;" : "=f"(other) : "f"(v), "n"(MASK));
  return other;
}

__device__ __forceinline__ float shuffle(float v, int lane) {
  float other;
  asm volatile("shfl.sync.idx.b32 %0, %1, %2, 31, -1;" : "=f"(other) : "f"(v), "r"(lane));
  return other;
}

// Sum over the warp as a butterfly: distance 16, 8, 4, 2, 1.
__device__ __forceinline__ float warp_sum(float v) {
  v += shuffle_xor<16>(v);
  v += shuffle_xor<8>(v);
  v += shuffle_xor<4>(v);
  v += shuffle_xor<2>(v);
  return v + shuffle_xor<1>(v);
}

// Sum over the block in an order fixed by blockDim alone: a butterfly in each warp, then the warps in their order.
__device__ __forceinline__ float block_sum(float v) {
  __shared__ float partial[32];
  v = warp_sum(v);
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
