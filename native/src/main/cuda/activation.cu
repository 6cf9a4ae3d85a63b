// SPDX-License-Identifier: Apache-2.0
// SwiGLU (Shazeer, 2020): out[row][i] = silu(gate_up[row][i]) * gate_up[row][ff + i], silu(g) = g / (1 + exp(-g)).
#include "common.cuh"

__device__ __forceinline__ float silu_times(float gate, float up) { return gate / (1.0f + expf(-gate)) * up; }

// VECTOR elements a thread at a time, four altogether.
template <int VECTOR>
__device__ __forceinline__ void gate_rows(const float* __restrict__ gate_up, float* __restrict__ out, int ff) {
  size_t row = blockIdx.y;
  const float* gate = gate_up + row * 2 * ff;
  const float* up = gate + ff;
  float* to = out + row * ff;
  if (VECTOR == 4) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (i >= ff) return;
    float4 g = *reinterpret_cast<const float4*>(gate + i);
    float4 u = *reinterpret_cast<const float4*>(up + i);
    *reinterpret_cast<float4*>(to + i) =
        make_float4(silu_times(g.x, u.x), silu_times(g.y, u.y), silu_times(g.z, u.z), silu_times(g.w, u.w));
  } else {
    int end = min(ff, static_cast<int>((blockIdx.x + 1) * blockDim.x * 4));
    for (int i = blockIdx.x * blockDim.x * 4 + threadIdx.x; i < end; i += blockDim.x) to[i] = silu_times(gate[i], up[i]);
  }
}

// Needs ff to be a multiple of 4, so that rows start on 16 bytes.
KERNEL swiglu(const float* __restrict__ gate_up, float* __restrict__ out, int ff) { gate_rows<4>(gate_up, out, ff); }

KERNEL swiglu_any(const float* __restrict__ gate_up, float* __restrict__ out, int ff) { gate_rows<1>(gate_up, out, ff); }
