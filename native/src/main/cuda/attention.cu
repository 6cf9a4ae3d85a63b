// SPDX-License-Identifier: Apache-2.0
// Attention of each row's query over the positions 0..positions[row] of its sequence in the paged KV pool.
//
// A sequence is cut into segments of 256 positions. Within a segment: online softmax (Milakov and Gimelshein, 2018) over
// tiles of 32 positions; tile t belongs to warp t % 4 and the warps are combined in their order. Segments are merged in
// their order. So the order of every sum is fixed by positions alone: not by the number of rows, the grid or the length of
// the block tables, and not by who computes a segment:
//   paged_attention_D          one block a (query head, row) does all segments.
//   paged_attention_split_D    blocks z, of gridDim.z, do segments z, z + gridDim.z, ... of a (query head, row) and leave
//                              each segment's sums; any number of them does for any position.
//   paged_attention_combine_D  merges what they left.
// The segments that there is room for are fixed with the launch. A position beyond them gives NaN and sets a status bit.
//
// Inside a tile eight lanes share a position: they read 128 contiguous bytes of K or V at a time, and three shuffle levels
// leave lane (g, c) with the score of position 4 * c + g of the tile. Weights are powers of two: q is scaled by
// scale * log2(e) first. ex2.approx has a relative error of 2^-22 and flushes weights under 2^-126 to zero.
//
// Nothing beyond positions[row] is read, neither slots nor block-table entries. Block 0 is the null block and never live.
// A row of padding gives zeros. A live row whose table is broken gives NaN and sets a status bit.
#include "common.cuh"

constexpr int kWarps = 4;
constexpr int kTile = 32;
constexpr int kSegment = 256;
constexpr int kHalf = 16;  // block_size is a power of two of at least 16, so half a tile never crosses a block
constexpr float kLog2E = 1.4426950408889634f;

__device__ __forceinline__ float exp2_approx(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

__device__ __forceinline__ float4 load4(const float* p) { return *reinterpret_cast<const float4*>(p); }

struct Table {
  const int* entries;
  int log_block_size;
  int kv_heads;
  int kv_head;
  int blocks;
};

// Row of the pool that holds a position (a multiple of 16). Marks a block id outside the pool as broken.
__device__ __forceinline__ int pool_row(const Table& table, int position, bool& broken) {
  int block = table.entries[position >> table.log_block_size];
  if (block <= 0 || block >= table.blocks) {
    broken = true;
    block = 0;
  }
  return ((block * table.kv_heads + table.kv_head) << table.log_block_size) +
         (position & ((1 << table.log_block_size) - 1));
}

template <int MASK>
__device__ __forceinline__ void exchange(float* score, int lane) {
  bool upper = (lane & MASK) != 0;
#pragma unroll
  for (int i = 0; i < MASK; i++) {
    float low = score[i];
    float high = score[i + MASK];
    float mine = upper ? high : low;
    float theirs = upper ? low : high;
    score[i] = mine + shuffle_xor<MASK>(theirs);
  }
}

__device__ __forceinline__ float warp_max(float v) {
  v = fmaxf(v, shuffle_xor<16>(v));
  v = fmaxf(v, shuffle_xor<8>(v));
  v = fmaxf(v, shuffle_xor<4>(v));
  v = fmaxf(v, shuffle_xor<2>(v));
  return fmaxf(v, shuffle_xor<1>(v));
}

template <int D>
struct Partial {
  static constexpr int kChunks = D / 32;
  float4 sum[kChunks];
  float largest;
  float total;  // this lane's share of the sum of weights
};

// One tile. FULL: all 32 positions are live, else the first `live` are, and a lane whose position is not live repeats the
// last one that is, with a weight of zero.
template <int D, bool FULL>
__device__ __forceinline__ void tile(const Table& table, const float* __restrict__ k_pool,
                                     const float* __restrict__ v_pool, const float4* q, int start, int live, int lane,
                                     Partial<D>& p, bool& broken) {
  constexpr int kChunks = D / 32;
  int g = lane >> 3;
  int half[2];
  half[0] = pool_row(table, start, broken);
  half[1] = FULL || live > kHalf ? pool_row(table, start + kHalf, broken) : 0;
  size_t offset[8];  // of this lane's part of position 4 * j + g
#pragma unroll
  for (int j = 0; j < 8; j++) {
    if (FULL) {
      offset[j] = static_cast<size_t>(half[j / 4] + g) * D + (lane & 7) * 4 + (j % 4) * 4 * D;
    } else {
      int row = half[j / 4] + (j % 4) * 4 + min(g, live - 1 - j * 4);
      offset[j] = static_cast<size_t>(row) * D + (lane & 7) * 4;
    }
  }

  float score[8];
#pragma unroll
  for (int j = 0; j < 8; j++) {
    float dot = 0.0f;
    if (FULL || j * 4 < live) {
#pragma unroll
      for (int c = 0; c < kChunks; c++) {
        float4 v = load4(k_pool + offset[j] + c * 32);
        dot = __fmaf_rn(q[c].x, v.x, dot);
        dot = __fmaf_rn(q[c].y, v.y, dot);
        dot = __fmaf_rn(q[c].z, v.z, dot);
        dot = __fmaf_rn(q[c].w, v.w, dot);
      }
    }
    score[j] = dot;
  }
  // Eight scores over eight lanes: each level leaves half of them, and lane c of the group ends with score c.
  exchange<4>(score, lane);
  exchange<2>(score, lane);
  exchange<1>(score, lane);
  bool valid = FULL || (lane & 7) * 4 + g < live;
  float s = valid ? score[0] : -INFINITY;

  float largest = fmaxf(warp_max(s), p.largest);
  float decay = exp2_approx(p.largest - largest);
  float weight = valid ? exp2_approx(s - largest) : 0.0f;
  p.largest = largest;
  p.total = __fmaf_rn(p.total, decay, weight);
#pragma unroll
  for (int c = 0; c < kChunks; c++) {
    p.sum[c].x *= decay;
    p.sum[c].y *= decay;
    p.sum[c].z *= decay;
    p.sum[c].w *= decay;
  }
#pragma unroll
  for (int j = 0; j < 8; j++) {
    float w = shuffle(weight, (lane & 24) | j);
    if (FULL || j * 4 < live) {
#pragma unroll
      for (int c = 0; c < kChunks; c++) {
        float4 v = load4(v_pool + offset[j] + c * 32);
        p.sum[c].x = __fmaf_rn(w, v.x, p.sum[c].x);
        p.sum[c].y = __fmaf_rn(w, v.y, p.sum[c].y);
        p.sum[c].z = __fmaf_rn(w, v.z, p.sum[c].z);
        p.sum[c].w = __fmaf_rn(w, v.w, p.sum[c].w);
      }
    }
  }
}

__device__ __forceinline__ float over_groups(float v) {
  v += shuffle_xor<16>(v);
  return v + shuffle_xor<8>(v);
}

// What a thread holds of one output element: a sum of weighted values, and the largest score and the total of weights that
// it is relative to.
struct Merged {
  float sum;
  float largest;
  float total;
};

// Rounded operation by operation, so that the two kernels that merge cannot differ.
__device__ __forceinline__ void merge(Merged& all, const Merged& one) {
  float top = fmaxf(all.largest, one.largest);
  float before = exp2_approx(all.largest - top);
  float now = exp2_approx(one.largest - top);
  all.largest = top;
  all.total = __fmaf_rn(one.total, now, __fmul_rn(all.total, before));
  all.sum = __fmaf_rn(one.sum, now, __fmul_rn(all.sum, before));
}

// The status bit of a live row that attention cannot be computed for; 0 if it can.
__device__ __forceinline__ int unusable(int sequence, int last, int log_block_size, int tables, int max_blocks) {
  if (static_cast<unsigned>(sequence) >= static_cast<unsigned>(tables)) return kSequenceOutOfRange;
  return (last >> log_block_size) >= max_blocks ? kPositionBeyondTable : 0;
}

template <int D>
struct Shared {
  float sums[kWarps][D];
  float largest[kWarps];
  float totals[kWarps];
};

// One segment, up to position `end`; thread d < D returns element d.
template <int D>
__device__ __forceinline__ Merged segment(const Table& table, const float* __restrict__ k_pool,
                                          const float* __restrict__ v_pool, const float4* query, int from, int end,
                                          Shared<D>& shared, bool& broken) {
  constexpr int kChunks = D / 32;
  int lane = threadIdx.x & 31;
  int warp = threadIdx.x >> 5;
  Partial<D> p;
#pragma unroll
  for (int c = 0; c < kChunks; c++) p.sum[c] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  p.largest = -INFINITY;
  p.total = 0.0f;

  int start = from + warp * kTile;
  for (; start + kTile - 1 <= end; start += kWarps * kTile)
    tile<D, true>(table, k_pool, v_pool, query, start, kTile, lane, p, broken);
  if (start <= end) tile<D, false>(table, k_pool, v_pool, query, start, end - start + 1, lane, p, broken);

  p.total = warp_sum(p.total);
#pragma unroll
  for (int c = 0; c < kChunks; c++) {
    float4 v = make_float4(over_groups(p.sum[c].x), over_groups(p.sum[c].y), over_groups(p.sum[c].z),
                           over_groups(p.sum[c].w));
    if (lane < 8) *reinterpret_cast<float4*>(&shared.sums[warp][c * 32 + lane * 4]) = v;
  }
  if (lane == 0) {
    shared.largest[warp] = p.largest;
    shared.totals[warp] = broken ? quiet_nan() : p.total;
  }
  __syncthreads();
  Merged one = {0.0f, shared.largest[0], 0.0f};
  if (threadIdx.x >= D) return one;
#pragma unroll
  for (int w = 1; w < kWarps; w++) one.largest = fmaxf(one.largest, shared.largest[w]);
#pragma unroll
  for (int w = 0; w < kWarps; w++) {
    float share = exp2_approx(shared.largest[w] - one.largest);
    one.total = __fmaf_rn(shared.totals[w], share, one.total);
    one.sum = __fmaf_rn(shared.sums[w][threadIdx.x], share, one.sum);
  }
  return one;
}

// SPLIT: leaves segments in partials[row][head][segments][D + 2]: the sums, then the largest score and the total.
template <int D, bool SPLIT>
__device__ __forceinline__ void attend(const float* __restrict__ q, const float* __restrict__ k_pool,
                                       const float* __restrict__ v_pool, const int* __restrict__ positions,
                                       const int* __restrict__ sequences, const int* __restrict__ block_tables,
                                       float* __restrict__ out, int* status, int heads, int kv_heads, int block_size,
                                       int tables, int max_blocks, int blocks, float scale, int segments) {
  constexpr int kChunks = D / 32;
  // Two, in turns: a warp may be at the next segment while another still reads this one.
  __shared__ __align__(16) Shared<D> shared[2];

  int head = blockIdx.x;
  int row = blockIdx.y;
  int lane = threadIdx.x & 31;
  size_t at = (static_cast<size_t>(row) * heads + head) * D;
  int last = positions[row];
  if (last < 0) {
    if (!SPLIT && threadIdx.x < D) out[at + threadIdx.x] = 0.0f;
    return;
  }
  int sequence = sequences[row];
  int log_block_size = 31 - __clz(block_size);
  int problem = unusable(sequence, last, log_block_size, tables, max_blocks);
  if (SPLIT && problem == 0 && last / kSegment >= segments) problem = kPositionBeyondBucket;
  if (problem != 0) {
    if (!SPLIT && threadIdx.x < D) out[at + threadIdx.x] = quiet_nan();
    if (threadIdx.x == 0) atomicOr(status, problem);
    return;
  }

  Table table = {block_tables + static_cast<size_t>(sequence) * max_blocks, log_block_size, kv_heads,
                 head / (heads / kv_heads), blocks};
  float4 query[kChunks];
  float factor = scale * kLog2E;
#pragma unroll
  for (int c = 0; c < kChunks; c++) {
    float4 v = load4(q + at + c * 32 + (lane & 7) * 4);
    query[c] = make_float4(v.x * factor, v.y * factor, v.z * factor, v.w * factor);
  }
  Merged all = {0.0f, -INFINITY, 0.0f};
  int turn = 0;
  int stride = SPLIT ? static_cast<int>(gridDim.z) : 1;
  for (int s = SPLIT ? static_cast<int>(blockIdx.z) : 0; s <= last / kSegment; s += stride) {
    bool broken = false;
    int from = s * kSegment;
    Merged one = segment<D>(table, k_pool, v_pool, query, from, min(last, from + kSegment - 1), shared[turn], broken);
    if (broken && lane == 0) atomicOr(status, kBlockOutOfPool);
    if (SPLIT) {
      float* partial = out + ((static_cast<size_t>(row) * heads + head) * segments + s) * (D + 2);
      if (threadIdx.x < D) partial[threadIdx.x] = one.sum;
      if (threadIdx.x == 0) {
        partial[D] = one.largest;
        partial[D + 1] = one.total;
      }
    } else {
      merge(all, one);
    }
    turn ^= 1;
  }
  if (!SPLIT && threadIdx.x < D) out[at + threadIdx.x] = __fdiv_rn(all.sum, all.total);
}

// One block of D threads a (query head, row).
template <int D>
__device__ __forceinline__ void combine(const float* __restrict__ partials, const int* __restrict__ positions,
                                        const int* __restrict__ sequences, float* __restrict__ out, int heads,
                                        int block_size, int tables, int max_blocks, int segments) {
  int head = blockIdx.x;
  int row = blockIdx.y;
  size_t index = static_cast<size_t>(row) * heads + head;
  int last = positions[row];
  float result = 0.0f;
  if (last >= 0) {
    // The split kernel has set the status bit.
    if (unusable(sequences[row], last, 31 - __clz(block_size), tables, max_blocks) != 0 || last / kSegment >= segments) {
      result = quiet_nan();
    } else {
      Merged all = {0.0f, -INFINITY, 0.0f};
      const float* partial = partials + index * segments * (D + 2);
      for (int s = 0; s <= last / kSegment; s++) {
        merge(all, {partial[threadIdx.x], partial[D], partial[D + 1]});
        partial += D + 2;
      }
      result = __fdiv_rn(all.sum, all.total);
    }
  }
  out[index * D + threadIdx.x] = result;
}

#define PAGED_ATTENTION(D)                                                                                         \
  KERNEL paged_attention_##D(const float* q, const float* k_pool, const float* v_pool, const int* positions,       \
                             const int* sequences, const int* block_tables, float* out, int* status, int heads,    \
                             int kv_heads, int block_size, int tables, int max_blocks, int blocks, float scale) {  \
    attend<D, false>(q, k_pool, v_pool, positions, sequences, block_tables, out, status, heads, kv_heads,          \
                     block_size, tables, max_blocks, blocks, scale, 0);                                            \
  }                                                                                                                \
  KERNEL paged_attention_split_##D(const float* q, const float* k_pool, const float* v_pool, const int* positions, \
                                   const int* sequences, const int* block_tables, float* partials, int* status,    \
                                   int heads, int kv_heads, int block_size, int tables, int max_blocks,            \
                                   int blocks, float scale, int segments) {                                        \
    attend<D, true>(q, k_pool, v_pool, positions, sequences, block_tables, partials, status, heads, kv_heads,      \
                    block_size, tables, max_blocks, blocks, scale, segments);                                      \
  }                                                                                                                \
  KERNEL paged_attention_combine_##D(const float* partials, const int* positions, const int* sequences,            \
                                     float* out, int heads, int block_size, int tables, int max_blocks,            \
                                     int segments) {                                                               \
    combine<D>(partials, positions, sequences, out, heads, block_size, tables, max_blocks, segments);              \
  }

PAGED_ATTENTION(32)
PAGED_ATTENTION(64)
PAGED_ATTENTION(128)
