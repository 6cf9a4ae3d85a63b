// SPDX-License-Identifier: Apache-2.0
// RMSNorm (Zhang and Sennrich, 2019), one block a row: out = x / sqrt(mean(x^2) + eps) * w.
// The order of the sum follows from n alone (through blockDim, which the launch helper derives from n), so a row's bits
// do not depend on the other rows. Square root and division are IEEE-rounded: the same bits on every device.
#include "common.cuh"

__device__ __forceinline__ float4 add(float4 a, float4 b) {
  return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

__device__ __forceinline__ float squares(float4 a, float sum) {
  sum = __fmaf_rn(a.x, a.x, sum);
  sum = __fmaf_rn(a.y, a.y, sum);
  sum = __fmaf_rn(a.z, a.z, sum);
  return __fmaf_rn(a.w, a.w, sum);
}

// x: the row. delta: added first when DELTA. kept: where the sum is written back when KEEP (it is x itself).
template <bool DELTA, bool KEEP>
__device__ __forceinline__ void norm_row(const float* x, const float* delta, float* kept, const float* w, float* out,
                                         int n, float eps) {
  float sum = 0.0f;
  bool vectors = (n & 3) == 0;
  if (vectors) {
    for (int i = threadIdx.x * 4; i < n; i += blockDim.x * 4) {
      float4 v = *reinterpret_cast<const float4*>(x + i);
      if (DELTA) v = add(v, *reinterpret_cast<const float4*>(delta + i));
      if (KEEP) *reinterpret_cast<float4*>(kept + i) = v;
      sum = squares(v, sum);
    }
  } else {
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
      float v = x[i];
      if (DELTA) v += delta[i];
      if (KEEP) kept[i] = v;
      sum = __fmaf_rn(v, v, sum);
    }
  }
  sum = block_sum(sum);
  float inverse = __fdiv_rn(1.0f, __fsqrt_rn(__fadd_rn(__fdiv_rn(sum, static_cast<float>(n)), eps)));
  // Every thread reads back only what it wrote itself, so no barrier is needed for the kept row.
  if (vectors) {
    for (int i = threadIdx.x * 4; i < n; i += blockDim.x * 4) {
      float4 v = *reinterpret_cast<const float4*>((KEEP ? kept : x) + i);
      if (DELTA && !KEEP) v = add(v, *reinterpret_cast<const float4*>(delta + i));
      float4 g = *reinterpret_cast<const float4*>(w + i);
      *reinterpret_cast<float4*>(out + i) =
          make_float4(v.x * inverse * g.x, v.y * inverse * g.y, v.z * inverse * g.z, v.w * inverse * g.w);
    }
  } else {
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
      float v = KEEP ? kept[i] : x[i];
      if (DELTA && !KEEP) v += delta[i];
      out[i] = v * inverse * w[i];
    }
  }
}

KERNEL rms_norm(const float* x, const float* w, float* out, int n, float eps) {
  size_t at = static_cast<size_t>(blockIdx.x) * n;
  norm_row<false, false>(x + at, nullptr, nullptr, w, out + at, n, eps);
}

// x += delta in place, then out = norm(x) * w.
KERNEL rms_norm_residual(float* x, const float* delta, const float* w, float* out, int n, float eps) {
  size_t at = static_cast<size_t>(blockIdx.x) * n;
  norm_row<true, true>(x + at, delta + at, x + at, w, out + at, n, eps);
}

// out[i] = norm(x[r] + delta[r]) * w with r = row_index[i]; x stays as it is. A negative r gives zeros; an r beyond the
// rows gives NaN and sets a status bit.
KERNEL rms_norm_residual_gather(const float* x, const float* delta, const int* row_index, const float* w, float* out,
                                int* status, int n, int rows, float eps) {
  int row = row_index[blockIdx.x];
  float* to = out + static_cast<size_t>(blockIdx.x) * n;
  if (row < 0 || row >= rows) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) to[i] = row < 0 ? 0.0f : quiet_nan();
    if (row >= rows && threadIdx.x == 0) atomicOr(status, kRowOutOfRange);
    return;
  }
  size_t at = static_cast<size_t>(row) * n;
  norm_row<true, false>(x + at, delta + at, nullptr, w, to, n, eps);
}
