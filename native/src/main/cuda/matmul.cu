// SPDX-License-Identifier: Apache-2.0
// y[row][o] = sum over i of W[o][i] * x[row][i]; W row-major [out][in], f32 or f16 (widened exactly), f32 accumulation.
//
// Eight lanes share one output: they read 128 contiguous bytes of a row of W at a time, so loads are coalesced, and only
// three shuffle levels are left at the end. A warp holds 4 * SLOTS outputs for up to 4 rows, so each vector of W is used
// for all rows of the tile. The order of the sum of one output is fixed by `in` alone: it is cut into chunks of 1024
// elements; within a chunk lane c of the eight takes its vectors in ascending order with one fused multiply-add an element,
// and the eight partial sums are paired by lane distance 4, 2, 1; chunks are added in their order. SLOTS, the number of
// rows, the warps of a block, the rows of a tile, the grid, and whether one warp does all chunks or the warps of a block
// share them, change who does the work, never a bit of the result.
#include "common.cuh"

constexpr int kChunk = 1024;
constexpr int kMostRows = 4;   // of a tile
constexpr int kMostWarps = 8;  // of a block that shares chunks

// Sums v[] over the eight lanes of a group. While more than one value is left, a level halves the number of values a lane
// holds instead of adding all of them in both lanes. A lane ends with kLeft values, the first of which is v[first];
// `writes` is true in one lane of those that hold the same values.
template <int N, int MASK>
struct GroupSum {
  static constexpr bool kSplit = N > 1;
  static constexpr int kNext = kSplit ? N / 2 : N;
  using Rest = GroupSum<kNext, MASK / 2>;
  static constexpr int kLeft = Rest::kLeft;

  __device__ static __forceinline__ void run(float* v, int lane, int& first, bool& writes) {
    bool upper = (lane & MASK) != 0;
    if constexpr (kSplit) {
#pragma unroll
      for (int i = 0; i < kNext; i++) {
        float low = v[i];
        float high = v[i + kNext];
        float mine = upper ? high : low;
        float theirs = upper ? low : high;
        v[i] = mine + shuffle_xor<MASK>(theirs);
      }
      if (upper) first += kNext;
    } else {
      v[0] += shuffle_xor<MASK>(v[0]);
      writes = writes && !upper;
    }
    Rest::run(v, lane, first, writes);
  }
};

template <int N>
struct GroupSum<N, 0> {
  static constexpr int kLeft = N;
  __device__ static __forceinline__ void run(float*, int, int&, bool&) {}
};

// Where a tile lies: outputs begin, begin + 1, … and rows row, row + 1, …, of which those from first_output on, and those
// before the end, are stored. The last tile begins early rather than reach beyond the end.
struct Tile {
  int begin;
  int first_output;
  int row;
};

// Which of the sums of a tile a lane ends with: kLeft of them, from `first` on, to be stored if `writes`.
template <int SLOTS, int ROWS>
struct Sums {
  using Group = GroupSum<SLOTS * ROWS, 4>;
  static constexpr int kLeft = Group::kLeft;
  int first = 0;
  bool writes = true;

  __device__ __forceinline__ void reduce(float* sums) {
    first = 0;
    writes = true;
    Group::run(sums, threadIdx.x, first, writes);
  }

  __device__ __forceinline__ void store(const float* totals, float* y, Tile at, int rows, int out) const {
#pragma unroll
    for (int i = 0; i < kLeft; i++) {
      int slot = (first + i) / ROWS;
      int r = at.row + (first + i) % ROWS;
      int o = at.begin + slot * 4 + ((threadIdx.x & 31) >> 3);
      if (writes && o >= at.first_output && o < out && r < rows) y[static_cast<size_t>(r) * out + o] = totals[i];
    }
  }
};

__device__ __forceinline__ float dot4(float4 w, float4 x, float sum) {
  sum = __fmaf_rn(w.x, x.x, sum);
  sum = __fmaf_rn(w.y, x.y, sum);
  sum = __fmaf_rn(w.z, x.z, sum);
  return __fmaf_rn(w.w, x.w, sum);
}

// One vector of W: 4 values of f32 or 8 values of f16, 16 bytes either way.
struct F32 {
  using Element = float;
  static constexpr int kVector = 4;
  float4 a;
  __device__ __forceinline__ void load(const float* p) { a = *reinterpret_cast<const float4*>(p); }
};

struct F16 {
  using Element = unsigned short;
  static constexpr int kVector = 8;
  float4 a, b;
  __device__ __forceinline__ void load(const unsigned short* p) {
    uint4 packed = *reinterpret_cast<const uint4*>(p);
    widen(packed.x, a.x, a.y);
    widen(packed.y, a.z, a.w);
    widen(packed.z, b.x, b.y);
    widen(packed.w, b.z, b.w);
  }
};

template <typename V, int SLOTS, int ROWS>
__device__ __forceinline__ void accumulate(const typename V::Element* const* w, const float* const* x, int at,
                                           float* sums) {
  V weights[SLOTS];
#pragma unroll
  for (int s = 0; s < SLOTS; s++) weights[s].load(w[s] + at);
#pragma unroll
  for (int r = 0; r < ROWS; r++) {
    float4 low = *reinterpret_cast<const float4*>(x[r] + at);
#pragma unroll
    for (int s = 0; s < SLOTS; s++) sums[s * ROWS + r] = dot4(weights[s].a, low, sums[s * ROWS + r]);
    if constexpr (V::kVector == 8) {
      float4 high = *reinterpret_cast<const float4*>(x[r] + at + 4);
#pragma unroll
      for (int s = 0; s < SLOTS; s++) sums[s * ROWS + r] = dot4(weights[s].b, high, sums[s * ROWS + r]);
    }
  }
}

template <int N, typename T>
__device__ __forceinline__ void advance(const T** pointers, int elements) {
#pragma unroll
  for (int i = 0; i < N; i++) pointers[i] += elements;
}

// Where a lane reads: its vectors of the rows of W and of x.
template <typename V, int SLOTS, int ROWS>
struct Reader {
  const typename V::Element* weights[SLOTS];
  const float* inputs[ROWS];

  __device__ __forceinline__ Reader(const typename V::Element* w, const float* x, Tile at, int rows, int in, int out) {
    int lane = threadIdx.x & 7;
    // With one slot a tile may still reach beyond a last output that is not a multiple of 4: it repeats the last one.
    int output = at.begin + ((threadIdx.x & 31) >> 3);
    if (SLOTS == 1) output = min(output, out - 1);
    weights[0] = w + static_cast<size_t>(output) * in + lane * V::kVector;
#pragma unroll
    for (int s = 1; s < SLOTS; s++) weights[s] = weights[s - 1] + 4 * static_cast<size_t>(in);
    inputs[0] = x + static_cast<size_t>(at.row) * in + lane * V::kVector;
#pragma unroll
    for (int r = 1; r < ROWS; r++)  // of four rows the last may not exist: it repeats the third and is not stored
      inputs[r] = inputs[r - 1] + (r == 3 && at.row + 3 >= rows ? 0 : static_cast<size_t>(in));
  }

  __device__ __forceinline__ void skip(int elements) {
    advance<SLOTS>(weights, elements);
    advance<ROWS>(inputs, elements);
  }

  // Sums over the next `length` elements, a whole chunk or the last ones.
  __device__ __forceinline__ void chunk(int length, float* sums) {
    constexpr int kStep = 8 * V::kVector;
    constexpr int kUnroll = ROWS * V::kVector <= 8 ? 4 : 2;
    int lane = threadIdx.x & 7;
#pragma unroll
    for (int i = 0; i < SLOTS * ROWS; i++) sums[i] = 0.0f;
    int left = length - lane * V::kVector;
    for (; left >= (kUnroll * 8 - lane) * V::kVector; left -= kUnroll * kStep) {
#pragma unroll
      for (int u = 0; u < kUnroll; u++) accumulate<V, SLOTS, ROWS>(weights, inputs, u * kStep, sums);
      skip(kUnroll * kStep);
    }
#pragma unroll 1
    for (; left > 0; left -= kStep) {
      accumulate<V, SLOTS, ROWS>(weights, inputs, 0, sums);
      skip(kStep);
    }
  }
};

template <typename V, int SLOTS, int ROWS>
__device__ __forceinline__ void tile(const typename V::Element* __restrict__ w, const float* __restrict__ x,
                                     float* __restrict__ y, Tile at, int rows, int in, int out) {
  Reader<V, SLOTS, ROWS> reader(w, x, at, rows, in, out);
  Sums<SLOTS, ROWS> owned;
  float sums[SLOTS * ROWS];
  float totals[Sums<SLOTS, ROWS>::kLeft];
#pragma unroll 1
  for (int from = 0; from < in; from += kChunk) {
    reader.chunk(min(in - from, kChunk), sums);
    owned.reduce(sums);
#pragma unroll
    for (int i = 0; i < Sums<SLOTS, ROWS>::kLeft; i++) totals[i] = from == 0 ? sums[i] : totals[i] + sums[i];
  }
  owned.store(totals, y, at, rows, out);
}

// The rows that block row blockIdx.y has: `row_tile` of them (1, 2 or 4), fewer at the end.
__device__ __forceinline__ int rows_of_tile(int rows, int row_tile) {
  return min(rows - static_cast<int>(blockIdx.y) * row_tile, row_tile);
}

template <typename V, int SLOTS>
__device__ __forceinline__ void matmul(const typename V::Element* __restrict__ w, const float* __restrict__ x,
                                       float* __restrict__ y, int rows, int in, int out, int row_tile) {
  int first_output = (blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5)) * (4 * SLOTS);
  if (first_output >= out) return;
  Tile at = {SLOTS == 1 ? first_output : min(first_output, out - 4 * SLOTS), first_output,
             static_cast<int>(blockIdx.y) * row_tile};
  int left = rows_of_tile(rows, row_tile);
  if (left == 1) {
    tile<V, SLOTS, 1>(w, x, y, at, rows, in, out);
  } else if (left == 2) {
    tile<V, SLOTS, 2>(w, x, y, at, rows, in, out);
  } else {
    tile<V, SLOTS, 4>(w, x, y, at, rows, in, out);
  }
}

// The warps of a block share the chunks of 4 outputs; the first warp adds what they leave, in order.
template <typename V, int ROWS>
__device__ __forceinline__ void shared_tile(const typename V::Element* __restrict__ w, const float* __restrict__ x,
                                            float* __restrict__ y, Tile at, int rows, int in, int out) {
  // Two, in turns: a warp may be at its next chunk while the first still adds.
  __shared__ float left[2][kMostWarps][4 * kMostRows];
  using Owned = Sums<1, ROWS>;
  Reader<V, 1, ROWS> reader(w, x, at, rows, in, out);
  Owned owned;
  float sums[ROWS];
  float totals[Owned::kLeft];
  int warp = threadIdx.x >> 5;
  int warps = blockDim.x >> 5;
  int group = ((threadIdx.x & 31) >> 3) * ROWS;
  int chunks = (in + kChunk - 1) / kChunk;
  int turn = 0;
  reader.skip(warp * kChunk);
#pragma unroll 1
  for (int round = 0; round < chunks; round += warps) {
    int chunk = round + warp;
    if (chunk < chunks) {
      reader.chunk(min(in - chunk * kChunk, kChunk), sums);
      owned.reduce(sums);
#pragma unroll
      for (int i = 0; i < Owned::kLeft; i++)
        if (owned.writes) left[turn][warp][group + owned.first + i] = sums[i];
      reader.skip((warps - 1) * kChunk);
    }
    __syncthreads();
    if (warp == 0) {
      int here = min(warps, chunks - round);
#pragma unroll
      for (int i = 0; i < Owned::kLeft; i++) {
        const float* from = &left[turn][0][group + owned.first + i];
        float total = round == 0 ? from[0] : totals[i] + from[0];
        for (int c = 1; c < here; c++) total += from[c * 4 * kMostRows];
        totals[i] = total;
      }
    }
    turn ^= 1;
  }
  if (warp == 0) owned.store(totals, y, at, rows, out);
}

template <typename V>
__device__ __forceinline__ void matmul_split(const typename V::Element* __restrict__ w, const float* __restrict__ x,
                                             float* __restrict__ y, int rows, int in, int out, int row_tile) {
  int first_output = blockIdx.x * 4;
  Tile at = {first_output, first_output, static_cast<int>(blockIdx.y) * row_tile};
  int left = rows_of_tile(rows, row_tile);
  if (left == 1) {
    shared_tile<V, 1>(w, x, y, at, rows, in, out);
  } else if (left == 2) {
    shared_tile<V, 2>(w, x, y, at, rows, in, out);
  } else {
    shared_tile<V, 4>(w, x, y, at, rows, in, out);
  }
}

// Any `in`: one element at a time, one row a block row. Only for shapes whose rows of W are not aligned for vectors.
template <typename T>
__device__ __forceinline__ void matmul_any(const T* __restrict__ w, const float* __restrict__ x, float* __restrict__ y,
                                           int in, int out) {
  int first_output = (blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5)) * 4;
  if (first_output >= out) return;
  int output = first_output + ((threadIdx.x & 31) >> 3);
  const T* weights = w + static_cast<size_t>(min(output, out - 1)) * in;
  const float* row = x + static_cast<size_t>(blockIdx.y) * in;
  float sum[1] = {0.0f};
  for (int i = threadIdx.x & 7; i < in; i += 8) {
    float value;
    if constexpr (sizeof(T) == 2) {
      value = widen(weights[i]);
    } else {
      value = weights[i];
    }
    sum[0] = __fmaf_rn(value, row[i], sum[0]);
  }
  Sums<1, 1> owned;
  owned.reduce(sum);
  owned.store(sum, y, {first_output, first_output, static_cast<int>(blockIdx.y)}, gridDim.y, out);
}

// _wide holds 16 outputs a warp (fewest instructions; out is at least 16), _narrow 4 (most warps, for few outputs on many
// multiprocessors), _split 4 a block (its warps share the dot product, for few outputs of a long one).
#define MATMUL(TYPE, V)                                                                                              \
  KERNEL matmul_##TYPE##_wide(const V::Element* w, const float* x, float* y, int rows, int in, int out, int row_tile) { \
    matmul<V, 4>(w, x, y, rows, in, out, row_tile);                                                                  \
  }                                                                                                                  \
  KERNEL matmul_##TYPE##_narrow(const V::Element* w, const float* x, float* y, int rows, int in, int out,            \
                                int row_tile) {                                                                      \
    matmul<V, 1>(w, x, y, rows, in, out, row_tile);                                                                  \
  }                                                                                                                  \
  KERNEL matmul_##TYPE##_split(const V::Element* w, const float* x, float* y, int rows, int in, int out,             \
                               int row_tile) {                                                                       \
    matmul_split<V>(w, x, y, rows, in, out, row_tile);                                                               \
  }

MATMUL(f32, F32)
MATMUL(f16, F16)

KERNEL matmul_f32_any(const float* w, const float* x, float* y, int in, int out) { matmul_any(w, x, y, in, out); }

KERNEL matmul_f16_any(const unsigned short* w, const float* x, float* y, int in, int out) {
  matmul_any(w, x, y, in, out);
}
