// SPDX-License-Identifier: Apache-2.0
// Greedy choice and sampling from rows of logits, one block a row.
//
// Everything that decides a token is an integer: logits become order-preserving 32-bit keys, probabilities become 40-bit
// fixed-point masses whose sums are exact in 64 bits. So a result depends on the logits, the parameters, the seed and the
// position, and not on the block size, the order of additions or the device. The exponential is a polynomial of
// IEEE-rounded operations for the same reason.
//
// Order of the filters: top-k (ties at the threshold by lowest index), top-p over what is left (the smallest set of most
// probable tokens whose mass reaches p, at least one; ties by lowest index), min-p (relative to the most probable), draw.
// The draw is Philox4x32-10 (Salmon et al., 2011) with key = seed and counter = position.
#include "common.cuh"

constexpr int kBins = 256;
constexpr int kMaxWarps = 32;

struct Shared {
  unsigned long long bins[kBins];
  unsigned long long parts[kMaxWarps];
  unsigned long long picked[2];
};

// A key orders as its logit does; NaN is 0, below every number; -0 counts as +0.
__device__ __forceinline__ unsigned order_key(float logit) {
  unsigned bits = __float_as_uint(__fadd_rn(logit, 0.0f));
  unsigned key = (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
  return logit != logit ? 0u : key;
}

__device__ __forceinline__ unsigned long long warp_sum(unsigned long long v) {
#pragma unroll
  for (int mask = 16; mask > 0; mask >>= 1) v += __shfl_xor_sync(kAllLanes, v, mask);
  return v;
}

// The largest key and its lowest index, in every thread: key in the high word, ~index in the low word.
__device__ __forceinline__ unsigned long long block_best(const float* __restrict__ logits, int vocab,
                                                         unsigned long long* parts) {
  unsigned key = 0;
  int index = 0x7fffffff;
  for (int i = threadIdx.x; i < vocab; i += blockDim.x) {
    unsigned k = order_key(logits[i]);
    if (k > key) {
      key = k;
      index = i;
    }
  }
  unsigned long long best = static_cast<unsigned long long>(key) << 32 | static_cast<unsigned>(~index);
#pragma unroll
  for (int mask = 16; mask > 0; mask >>= 1) best = max(best, __shfl_xor_sync(kAllLanes, best, mask));
  if ((threadIdx.x & 31) == 0) parts[threadIdx.x >> 5] = best;
  __syncthreads();
  best = parts[0];
  for (int w = 1; w < (blockDim.x >> 5); w++) best = max(best, parts[w]);
  __syncthreads();
  return best;
}

__device__ __forceinline__ int best_index(unsigned long long best) { return ~static_cast<int>(best); }

// exp(d) * 2^40 for d <= 0, rounded to an integer; exactly 2^40 for d = 0, and 0 below 2^-41. IEEE operations only.
__device__ __forceinline__ unsigned long long exp_mass(float d) {
  if (!(d > -28.5f)) return 0;
  float n = rintf(__fmul_rn(d, 1.44269504f));
  float r = __fmaf_rn(n, -0.693359375f, d);
  r = __fmaf_rn(n, 2.12194440e-4f, r);
  float p = 1.0f / 5040.0f;
  p = __fmaf_rn(p, r, 1.0f / 720.0f);
  p = __fmaf_rn(p, r, 1.0f / 120.0f);
  p = __fmaf_rn(p, r, 1.0f / 24.0f);
  p = __fmaf_rn(p, r, 1.0f / 6.0f);
  p = __fmaf_rn(p, r, 0.5f);
  p = __fmaf_rn(p, r, 1.0f);
  p = __fmaf_rn(p, r, 1.0f);
  float scale = __int_as_float((static_cast<int>(n) + 40 + 127) << 23);
  return __float2ull_rn(__fmul_rn(p, scale));
}

// What is left of a row after the filters so far.
struct Kept {
  const float* logits;
  unsigned top;          // key of the largest logit
  float top_logit;
  float temperature;
  unsigned threshold;    // keys above it are kept
  int last_tie;          // and of those equal to it the ones up to this index
  unsigned long long least_mass;

  __device__ __forceinline__ unsigned long long mass_of(float logit, unsigned key) const {
    return key == 0 ? 0 : exp_mass(key == top ? 0.0f : __fdiv_rn(logit - top_logit, temperature));
  }
  __device__ __forceinline__ bool keeps(unsigned key, int i) const {
    return key > threshold || (key == threshold && i <= last_tie);
  }
  __device__ __forceinline__ unsigned long long mass(int i) const {
    float logit = logits[i];
    unsigned key = order_key(logit);
    if (!keeps(key, i)) return 0;
    unsigned long long m = mass_of(logit, key);
    return m < least_mass ? 0 : m;
  }
};

template <typename Weight>
__device__ unsigned long long block_total(int vocab, unsigned long long* parts, Weight weight) {
  unsigned long long sum = 0;
  for (int i = threadIdx.x; i < vocab; i += blockDim.x) sum += weight(i);
  sum = warp_sum(sum);
  if ((threadIdx.x & 31) == 0) parts[threadIdx.x >> 5] = sum;
  __syncthreads();
  sum = 0;
  for (int w = 0; w < (blockDim.x >> 5); w++) sum += parts[w];
  __syncthreads();
  return sum;
}

// The index at which the prefix sum of weights, in index order, first exceeds target; target is less than the total.
// Narrows the range by a factor of the number of warps (two or more) until one step of a warp is left.
template <typename Weight>
__device__ int index_at(int vocab, unsigned long long target, Shared& shared, Weight weight) {
  int warps = blockDim.x >> 5;
  int warp = threadIdx.x >> 5;
  int lane = threadIdx.x & 31;
  int low = 0;
  int length = vocab;
  while (length > 32) {
    int part = (length + warps - 1) / warps;
    part = (part + 31) & ~31;
    int from = low + warp * part;
    int to = min(from + part, low + length);
    unsigned long long sum = 0;
    for (int i = from + lane; i < to; i += 32) sum += weight(i);
    sum = warp_sum(sum);
    if (lane == 0) shared.parts[warp] = sum;
    __syncthreads();
    int chosen = 0;
    while (chosen + 1 < warps && target >= shared.parts[chosen]) {
      target -= shared.parts[chosen];
      chosen++;
    }
    __syncthreads();
    int next = low + chosen * part;
    length = min(part, low + length - next);
    low = next;
  }
  // Every warp does the last step alike, so that all threads know the index.
  unsigned long long sum = lane < length ? weight(low + lane) : 0;
#pragma unroll
  for (int step = 1; step < 32; step <<= 1) {
    unsigned long long before = __shfl_up_sync(kAllLanes, sum, step);
    if (lane >= step) sum += before;
  }
  unsigned beyond = __ballot_sync(kAllLanes, lane < length && sum > target);
  return low + __ffs(beyond) - 1;
}

struct Threshold {
  unsigned key;
  unsigned long long above;  // weight of all larger keys
  unsigned long long equal;  // weight of the keys equal to it
};

// Largest key for which the weight of all keys at or above it reaches target (1 <= target <= total weight).
// Radix select from the top byte down.
template <typename Weight>
__device__ Threshold select_threshold(const float* __restrict__ logits, int vocab, unsigned long long target,
                                      Shared& shared, Weight weight) {
  unsigned prefix = 0;
  unsigned long long above = 0;
  unsigned long long equal = 0;
  for (int shift = 24; shift >= 0; shift -= 8) {
    for (int b = threadIdx.x; b < kBins; b += blockDim.x) shared.bins[b] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < vocab; i += blockDim.x) {
      float logit = logits[i];
      unsigned key = order_key(logit);
      if (shift == 24 || (key >> (shift + 8)) == prefix) {
        unsigned long long w = weight(logit, key);
        if (w != 0) atomicAdd(&shared.bins[(key >> shift) & 255], w);
      }
    }
    __syncthreads();
    if (threadIdx.x < 32) {
      // Lane l holds the eight bins below 256 - 8 * l; lane 0 has the largest.
      int first = kBins - 1 - static_cast<int>(threadIdx.x) * 8;
      unsigned long long mine = 0;
      for (int b = 0; b < 8; b++) mine += shared.bins[first - b];
      unsigned long long through = mine;
#pragma unroll
      for (int step = 1; step < 32; step <<= 1) {
        unsigned long long before = __shfl_up_sync(kAllLanes, through, step);
        if (threadIdx.x >= step) through += before;
      }
      unsigned long long sum = above + through - mine;
      if (sum < target && above + through >= target) {
        int b = first;
        while (sum + shared.bins[b] < target) sum += shared.bins[b--];
        shared.picked[0] = sum;
        shared.picked[1] = static_cast<unsigned>(b);
      }
    }
    __syncthreads();
    above = shared.picked[0];
    unsigned bin = static_cast<unsigned>(shared.picked[1]);
    equal = shared.bins[bin];
    prefix = prefix << 8 | bin;
    __syncthreads();
  }
  return {prefix, above, equal};
}

struct Philox {
  unsigned x0, x1, x2, x3;
};

__device__ __forceinline__ Philox philox(unsigned long long key, unsigned counter) {
  Philox c = {counter, 0, 0, 0};
  unsigned k0 = static_cast<unsigned>(key);
  unsigned k1 = static_cast<unsigned>(key >> 32);
#pragma unroll
  for (int round = 0; round < 10; round++) {
    unsigned hi0 = __umulhi(0xD2511F53u, c.x0), lo0 = 0xD2511F53u * c.x0;
    unsigned hi1 = __umulhi(0xCD9E8D57u, c.x2), lo1 = 0xCD9E8D57u * c.x2;
    c = {hi1 ^ c.x1 ^ k0, lo1, hi0 ^ c.x3 ^ k1, lo0};
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return c;
}

// The position of logits row i, or -1 when it is padding. Sets a status bit when its row does not exist.
__device__ __forceinline__ int row_position(const int* __restrict__ row_index, const int* __restrict__ positions,
                                            int rows, int* status) {
  int row = row_index[blockIdx.x];
  if (row < 0) return -1;
  if (row >= rows) {
    if (threadIdx.x == 0) atomicOr(status, kRowOutOfRange);
    return -1;
  }
  return positions[row];
}

KERNEL argmax_rows(const float* __restrict__ logits, const int* __restrict__ row_index,
                   const int* __restrict__ positions, int* __restrict__ sampled, int* status, int vocab, int rows) {
  __shared__ unsigned long long parts[kMaxWarps];
  int position = row_position(row_index, positions, rows, status);
  if (position < 0) {
    if (threadIdx.x == 0) sampled[blockIdx.x] = -1;
    return;
  }
  unsigned long long best = block_best(logits + static_cast<size_t>(blockIdx.x) * vocab, vocab, parts);
  if (threadIdx.x != 0) return;
  bool none = best >> 32 == 0;
  if (none) atomicOr(status, kNothingToSample);
  sampled[blockIdx.x] = none ? -1 : best_index(best);
}

KERNEL sample_rows(const float* __restrict__ logits, const float* __restrict__ temperatures,
                   const int* __restrict__ top_ks, const float* __restrict__ top_ps, const float* __restrict__ min_ps,
                   const unsigned long long* __restrict__ seeds, const int* __restrict__ row_index,
                   const int* __restrict__ positions, int* __restrict__ sampled, int* status, int vocab, int rows) {
  __shared__ Shared shared;
  int position = row_position(row_index, positions, rows, status);
  if (position < 0) {
    if (threadIdx.x == 0) sampled[blockIdx.x] = -1;
    return;
  }
  const float* row = logits + static_cast<size_t>(blockIdx.x) * vocab;
  unsigned long long best = block_best(row, vocab, shared.parts);
  float temperature = temperatures[blockIdx.x];
  unsigned top = static_cast<unsigned>(best >> 32);
  if (top == 0 || !(temperature > 0.0f)) {
    if (threadIdx.x == 0) {
      if (top == 0) atomicOr(status, kNothingToSample);
      sampled[blockIdx.x] = top == 0 ? -1 : best_index(best);
    }
    return;
  }

  Kept kept = {row, top, row[best_index(best)], temperature, 0, 0x7fffffff, 1};
  int top_k = top_ks[blockIdx.x];
  if (top_k > 0 && top_k < vocab) {
    Threshold t = select_threshold(row, vocab, top_k, shared, [](float, unsigned) { return 1ull; });
    kept.threshold = t.key;
    unsigned long long wanted = top_k - t.above;
    if (wanted < t.equal)
      kept.last_tie = index_at(vocab, wanted - 1, shared,
                               [&](int i) { return order_key(row[i]) == t.key ? 1ull : 0ull; });
  }
  float top_p = top_ps[blockIdx.x];
  if (top_p < 1.0f) {
    unsigned long long total = block_total(vocab, shared.parts, [&](int i) { return kept.mass(i); });
    unsigned long long p = __float2ull_rn(fmaxf(top_p, 0.0f) * 4294967296.0f);
    // ceil(total * p / 2^32); total is under 2^58.
    unsigned long long target = (total >> 32) * p + (((total & 0xffffffffull) * p + 0xffffffffull) >> 32);
    if (target == 0) target = 1;
    // Equal keys beyond last_tie are counted too: they are the last to be reached, and target is within the kept mass.
    unsigned floor = kept.threshold;
    Threshold t = select_threshold(row, vocab, target, shared, [&](float logit, unsigned key) {
      return key < floor ? 0ull : kept.mass_of(logit, key);
    });
    unsigned long long all_ties = block_total(
        vocab, shared.parts, [&](int i) { return order_key(row[i]) == t.key && kept.keeps(t.key, i) ? 1ull : 0ull; });
    // Equal keys may come from different logits only as +0 and -0, which have one mass.
    unsigned long long count = block_total(vocab, shared.parts,
                                           [&](int i) { return order_key(row[i]) == t.key ? 1ull : 0ull; });
    unsigned long long each = t.equal / count;
    unsigned long long wanted = (target - t.above + each - 1) / each;
    if (wanted < all_ties) {
      kept.last_tie = index_at(vocab, wanted - 1, shared,
                               [&](int i) { return order_key(row[i]) == t.key ? 1ull : 0ull; });
    } else if (t.key != kept.threshold) {
      kept.last_tie = 0x7fffffff;
    }
    kept.threshold = t.key;
  }
  float min_p = min_ps[blockIdx.x];
  if (min_p > 0.0f) {
    float least = ceilf(fminf(min_p, 1.0f) * 1099511627776.0f);  // the most probable token has a mass of 2^40
    kept.least_mass = max(1ull, __float2ull_rn(least));
  }
  unsigned long long total = block_total(vocab, shared.parts, [&](int i) { return kept.mass(i); });
  Philox random = philox(seeds[blockIdx.x], static_cast<unsigned>(position));
  unsigned long long u = static_cast<unsigned long long>(random.x1) << 32 | random.x0;
  int token = index_at(vocab, __umul64hi(u, total), shared, [&](int i) { return kept.mass(i); });
  if (threadIdx.x == 0) sampled[blockIdx.x] = token;
}
