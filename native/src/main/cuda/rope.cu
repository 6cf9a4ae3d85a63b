// SPDX-License-Identifier: Apache-2.0
// Rotary position embedding of q and k on interleaved pairs (2i, 2i+1), and the write of k and v to the paged KV pool.
//
// qkv is [rows][(heads + 2 * kv_heads) * head_dim]: q, then k, then v. cos_sin is [max_context][head_dim / 2][2].
// A pool is [blocks][kv_heads][block_size][head_dim]; position p of a sequence is slot p % block_size of block
// block_tables[sequence][p / block_size]. Block 0 is the null block and is never written.
// A row of padding writes zeros to q_out and touches no KV. A live row whose slot cannot be found writes no KV and sets a
// status bit; one whose position has no rotary entry gets a q of NaN besides.
#include "common.cuh"

KERNEL rope_kv_write(const float* __restrict__ qkv, const float* __restrict__ cos_sin,
                     const int* __restrict__ positions, const int* __restrict__ sequences,
                     const int* __restrict__ block_tables, float* __restrict__ q_out, float* __restrict__ k_pool,
                     float* __restrict__ v_pool, int* status, int heads, int kv_heads, int head_dim, int max_context,
                     int block_size, int tables, int max_blocks, int blocks) {
  int row = blockIdx.x;
  int q_width = heads * head_dim;
  int kv_width = kv_heads * head_dim;
  float* q_to = q_out + static_cast<size_t>(row) * q_width;
  int position = positions[row];
  if (position < 0 || position >= max_context) {
    float fill = position < 0 ? 0.0f : quiet_nan();
    for (int i = threadIdx.x * 4; i < q_width; i += blockDim.x * 4)
      *reinterpret_cast<float4*>(q_to + i) = make_float4(fill, fill, fill, fill);
    if (position >= 0 && threadIdx.x == 0) atomicOr(status, kPositionBeyondRotary);
    return;
  }

  int broken = 0;
  int block = 0;
  int sequence = sequences[row];
  int entry = position / block_size;
  if (static_cast<unsigned>(sequence) >= static_cast<unsigned>(tables)) {
    broken = kSequenceOutOfRange;
  } else if (entry >= max_blocks) {
    broken = kPositionBeyondTable;
  } else {
    block = block_tables[static_cast<size_t>(sequence) * max_blocks + entry];
    if (block <= 0 || block >= blocks) broken = kBlockOutOfPool;
  }
  if (broken != 0 && threadIdx.x == 0) atomicOr(status, broken);

  const float* from = qkv + static_cast<size_t>(row) * (q_width + 2 * kv_width);
  const float* angles = cos_sin + static_cast<size_t>(position) * head_dim;
  size_t slot = (static_cast<size_t>(block) * kv_heads * block_size + (position - entry * block_size)) * head_dim;
  int head_mask = head_dim - 1;
  int end = broken != 0 ? q_width : q_width + 2 * kv_width;
  for (int i = threadIdx.x * 4; i < end; i += blockDim.x * 4) {
    float4 v = *reinterpret_cast<const float4*>(from + i);
    int d = i & head_mask;  // head_dim is a power of two
    if (i < q_width + kv_width) {
      float4 a = *reinterpret_cast<const float4*>(angles + d);  // cos, sin, cos, sin of two pairs
      v = make_float4(__fmaf_rn(v.x, a.x, -(v.y * a.y)), __fmaf_rn(v.x, a.y, v.y * a.x),
                      __fmaf_rn(v.z, a.z, -(v.w * a.w)), __fmaf_rn(v.z, a.w, v.w * a.z));
    }
    float* to;
    if (i < q_width) {
      to = q_to + i;
    } else {
      bool value = i >= q_width + kv_width;
      int in_kv = i - q_width - (value ? kv_width : 0);
      // in_kv - d is head * head_dim, and a head of a block is block_size * head_dim long.
      to = (value ? v_pool : k_pool) + slot + static_cast<size_t>(in_kv - d) * block_size + d;
    }
    *reinterpret_cast<float4*>(to) = v;
  }
}
