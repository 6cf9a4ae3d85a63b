// Kernels of a small decode step, in the shapes that language models use. One thread block handles one row, head or token.
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <stdint.h>

__device__ float block_sum(float v, float* shared) {
  for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
  int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  if (lane == 0) shared[warp] = v;
  __syncthreads();
  v = lane < (blockDim.x >> 5) ? shared[lane] : 0.f;
  for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
  __syncthreads();
  return v;
}

extern "C" __global__ void embed(const __half* table, const int* ids, float* out, int dim) {
  for (int i = threadIdx.x; i < dim; i += blockDim.x)
    out[blockIdx.x * dim + i] = __half2float(table[(size_t)ids[blockIdx.x] * dim + i]);
}

extern "C" __global__ void rms_norm(const float* x, const float* weight, float* out, int dim, float eps) {
  __shared__ float shared[32];
  const float* row = x + (size_t)blockIdx.x * dim;
  float s = 0.f;
  for (int i = threadIdx.x; i < dim; i += blockDim.x) s += row[i] * row[i];
  float scale = rsqrtf(block_sum(s, shared) / dim + eps);
  for (int i = threadIdx.x; i < dim; i += blockDim.x) out[(size_t)blockIdx.x * dim + i] = row[i] * scale * weight[i];
}

// Rotates q in place and writes rotated k and v into the paged cache of half precision.
extern "C" __global__ void rope_and_store(float* q, const float* k, const float* v, __half* cache_k, __half* cache_v,
    const int* block_table, const int* positions, int heads, int kv_heads, int head_dim, int page, int pages_per_row, float base) {
  int row = blockIdx.x, pos = positions[row];
  int slot = block_table[row * pages_per_row + pos / page] * page + pos % page;
  for (int i = threadIdx.x; i < heads * head_dim / 2; i += blockDim.x) {
    int h = i / (head_dim / 2), d = i % (head_dim / 2);
    float angle = pos * powf(base, -2.0f * d / head_dim), c, s;
    sincosf(angle, &s, &c);
    float* p = q + ((size_t)row * heads + h) * head_dim + 2 * d;
    float a = p[0], b = p[1];
    p[0] = a * c - b * s;
    p[1] = a * s + b * c;
    if (h < kv_heads) {
      size_t from = ((size_t)row * kv_heads + h) * head_dim + 2 * d;
      size_t to = ((size_t)slot * kv_heads + h) * head_dim + 2 * d;
      float ka = k[from], kb = k[from + 1];
      cache_k[to] = __float2half(ka * c - kb * s);
      cache_k[to + 1] = __float2half(ka * s + kb * c);
      cache_v[to] = __float2half(v[from]);
      cache_v[to + 1] = __float2half(v[from + 1]);
    }
  }
}

// One warp per (row, head); online softmax over the cached tokens.
extern "C" __global__ void paged_attention(const float* q, const __half* cache_k, const __half* cache_v, const int* block_table,
    const int* positions, float* out, int heads, int kv_heads, int head_dim, int page, int pages_per_row) {
  extern __shared__ float acc[];
  int row = blockIdx.x, h = blockIdx.y, lane = threadIdx.x, kvh = h / (heads / kv_heads);
  const float* query = q + ((size_t)row * heads + h) * head_dim;
  for (int d = lane; d < head_dim; d += 32) acc[d] = 0.f;
  __syncwarp();
  float m = -INFINITY, total = 0.f, scale = rsqrtf((float)head_dim);
  for (int t = 0; t <= positions[row]; t++) {
    int slot = block_table[row * pages_per_row + t / page] * page + t % page;
    const __half* kk = cache_k + ((size_t)slot * kv_heads + kvh) * head_dim;
    const __half* vv = cache_v + ((size_t)slot * kv_heads + kvh) * head_dim;
    float s = 0.f;
    for (int d = lane; d < head_dim; d += 32) s += query[d] * __half2float(kk[d]);
    for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
    s *= scale;
    float next = fmaxf(m, s), keep = expf(m - next), p = expf(s - next);
    total = total * keep + p;
    m = next;
    for (int d = lane; d < head_dim; d += 32) acc[d] = acc[d] * keep + p * __half2float(vv[d]);
  }
  for (int d = lane; d < head_dim; d += 32) out[((size_t)row * heads + h) * head_dim + d] = acc[d] / total;
}

extern "C" __global__ void swiglu(const float* gate, const float* up, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = gate[i] / (1.f + expf(-gate[i])) * up[i];
}

// The greatest logit of a row, the lowest index among equals: one 64-bit maximum.
extern "C" __global__ void argmax(const float* logits, int* out, int n) {
  __shared__ unsigned long long best;
  if (threadIdx.x == 0) best = 0;
  __syncthreads();
  unsigned long long mine = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    unsigned int b = __float_as_uint(logits[(size_t)blockIdx.x * n + i]);
    b = (b & 0x80000000u) ? ~b : b | 0x80000000u;
    unsigned long long key = ((unsigned long long)b << 32) | (0xffffffffu - i);
    mine = key > mine ? key : mine;
  }
  atomicMax(&best, mine);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = (int)(0xffffffffu - (unsigned int)best);
}

__device__ uint4 philox(uint4 c, uint2 k) {
  for (int round = 0; round < 10; round++) {
    unsigned int h0 = __umulhi(0xD2511F53u, c.x), l0 = 0xD2511F53u * c.x, h1 = __umulhi(0xCD9E8D57u, c.z), l1 = 0xCD9E8D57u * c.z;
    c = make_uint4(h1 ^ c.y ^ k.x, l1, h0 ^ c.w ^ k.y, l0);
    k.x += 0x9E3779B9u;
    k.y += 0xBB67AE85u;
  }
  return c;
}

// Samples from softmax(logits / temperature) by an inclusive scan over the block; n is at most blockDim.x * 8.
extern "C" __global__ void sample(const float* logits, int* out, int n, float temperature, unsigned long long seed, unsigned long long position) {
  __shared__ float shared[32];
  __shared__ float sums[1024];
  __shared__ int winner;
  const float* row = logits + (size_t)blockIdx.x * n;
  float top = -INFINITY;
  for (int i = threadIdx.x; i < n; i += blockDim.x) top = fmaxf(top, row[i]);
  for (int o = 16; o > 0; o >>= 1) top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, o));
  if ((threadIdx.x & 31) == 0) shared[threadIdx.x >> 5] = top;
  if (threadIdx.x == 0) winner = n - 1;
  __syncthreads();
  for (int w = 0; w < (blockDim.x >> 5); w++) top = fmaxf(top, shared[w]);
  int per = (n + blockDim.x - 1) / blockDim.x;
  float mine = 0.f;
  for (int j = 0; j < per; j++) {
    int i = threadIdx.x * per + j;
    if (i < n) mine += expf((row[i] - top) / temperature);
  }
  sums[threadIdx.x] = mine;
  __syncthreads();
  for (int o = 1; o < blockDim.x; o <<= 1) {
    float add = threadIdx.x >= o ? sums[threadIdx.x - o] : 0.f;
    __syncthreads();
    sums[threadIdx.x] += add;
    __syncthreads();
  }
  uint4 r = philox(make_uint4((unsigned int)position, (unsigned int)(position >> 32), blockIdx.x, 0), make_uint2((unsigned int)seed, (unsigned int)(seed >> 32)));
  float target = (r.x >> 8) * (1.0f / 16777216.0f) * sums[blockDim.x - 1];
  float before = threadIdx.x == 0 ? 0.f : sums[threadIdx.x - 1];
  if (target >= before && target < sums[threadIdx.x]) {
    for (int j = 0; j < per; j++) {
      int i = threadIdx.x * per + j;
      if (i < n) {
        before += expf((row[i] - top) / temperature);
        if (target < before) { atomicMin(&winner, i); break; }
      }
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = winner;
}

extern "C" __global__ void advance(int* positions, int* ids, const int* sampled, int rows) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows) { positions[i]++; ids[i] = sampled[i]; }
}

// Four rows of activations at once, weights in bfloat16, tiles in shared memory.
extern "C" __global__ void matmul_bf16(const __nv_bfloat16* w, const float* x, float* y, int rows, int cols, int batch) {
  __shared__ float tile[4][128];
  int row = blockIdx.x * 4 + threadIdx.y;
  float acc[4] = {0.f, 0.f, 0.f, 0.f};
  for (int c0 = 0; c0 < cols; c0 += 128) {
    for (int b = threadIdx.y; b < 4; b += 4)
      for (int c = threadIdx.x; c < 128; c += 32) tile[b][c] = b < batch && c0 + c < cols ? x[b * cols + c0 + c] : 0.f;
    __syncthreads();
    if (row < rows)
      for (int c = threadIdx.x; c < 128 && c0 + c < cols; c += 32) {
        float v = __bfloat162float(w[(size_t)row * cols + c0 + c]);
#pragma unroll
        for (int b = 0; b < 4; b++) acc[b] += v * tile[b][c];
      }
    __syncthreads();
  }
  for (int b = 0; b < 4; b++) {
    for (int o = 16; o > 0; o >>= 1) acc[b] += __shfl_down_sync(0xffffffffu, acc[b], o);
    if (threadIdx.x == 0 && row < rows && b < batch) y[b * rows + row] = acc[b];
  }
}
