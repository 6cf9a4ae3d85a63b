// nvcc -ptx -arch=compute_75 -O2 -lineinfo tiles.cu -o tiles.ptx
// Kernels of the kind that a decoder has, with a mistake each, and the same without it.
extern "C" __global__ void paged_sum(int *out, int *const *table, int blocks, int width) {
  int i = threadIdx.x;
  int sum = 0;
  for (int b = 0; b < blocks; b++) {
    const int *block = table[b];
    if (i < width) sum += block[i];
  }
  if (i < width) out[i] = sum;
}
extern "C" __global__ void tile_2d(int *out, const int *in, int rows, int columns) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r < rows && c < columns) out[r * columns + c] = in[r * columns + c];
}
extern "C" __global__ void tile_2d_one_row_more(int *out, const int *in, int rows, int columns) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r <= rows && c < columns) out[r * columns + c] = in[r * columns + c];
}
extern "C" __global__ void vector_copy(int4 *out, const int4 *in, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = in[i];
}
extern "C" __global__ void grid_stride(int *out, int count) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) out[i] = i;
}
extern "C" __global__ void transpose(int *out, const int *in) {
  __shared__ int tile[32][33];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
extern "C" __global__ void transpose_without_barrier(int *out, const int *in) {
  __shared__ int tile[32][33];
  tile[threadIdx.y][threadIdx.x] = 0;
  __syncthreads();
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
extern "C" __global__ void tree_sum(int *out, const int *in) {
  __shared__ int part[128];
  int i = threadIdx.x;
  part[i] = in[i];
  __syncthreads();
  for (int half = 64; half > 0; half /= 2) {
    if (i < half) part[i] += part[i + half];
    __syncthreads();
  }
  if (i == 0) out[0] = part[0];
}
extern "C" __global__ void tree_sum_without_barrier(int *out, const int *in) {
  __shared__ int part[128];
  int i = threadIdx.x;
  part[i] = in[i];
  __syncthreads();
  for (int half = 64; half > 0; half /= 2) {
    if (i < half) part[i] += part[i + half];
  }
  if (i == 0) out[0] = part[0];
}
extern "C" __global__ void two_buffers(int *out, const int *in, int rounds) {
  __shared__ int stage[2][64];
  int i = threadIdx.x;
  int sum = 0;
  for (int k = 0; k < rounds; k++) {
    stage[k & 1][i] = in[i] + k;
    __syncthreads();
    sum += stage[k & 1][63 - i];
  }
  out[i] = sum;
}
extern "C" __global__ void one_buffer(int *out, const int *in, int rounds) {
  __shared__ int stage[64];
  int i = threadIdx.x;
  int sum = 0;
  for (int k = 0; k < rounds; k++) {
    stage[i] = in[i] + k;
    __syncthreads();
    sum += stage[63 - i];
  }
  out[i] = sum;
}
extern "C" __global__ void broadcast(int *out, int value, int barrier) {
  __shared__ int shared;
  if (threadIdx.x == 0) shared = value;
  if (barrier) __syncthreads();
  out[threadIdx.x] = shared;
}
extern "C" __global__ void maximum(int *out, const int *in, int atomic) {
  __shared__ int most;
  if (threadIdx.x == 0) most = 0;
  __syncthreads();
  if (atomic) atomicMax(&most, in[threadIdx.x]);
  else if (in[threadIdx.x] > most) most = in[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) out[0] = most;
}
extern "C" __global__ void vote_of_all(int *out, int live) {
  int i = threadIdx.x;
  if (i < live) out[i] = __any_sync(0xffffffff, i == 3);
}
extern "C" __global__ void vote_of_live(int *out, int live) {
  int i = threadIdx.x;
  unsigned mask = __ballot_sync(0xffffffff, i < live);
  if (i < live) out[i] = __any_sync(mask, i == 3);
}
extern "C" __global__ void lanes_sum(int *out, const int *in, int live) {
  int i = threadIdx.x;
  if (i >= live) return;
  int sum = in[i];
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(0xffffffff, sum, distance);
  if (i % 32 == 0) out[i / 32] = sum;
}
extern "C" __global__ void meet_without_self(int *out) {
  if (threadIdx.x < 16) __syncwarp(0xffff0000);
  out[threadIdx.x] = 1;
}
extern "C" __global__ void early_return(int *out, int live) {
  if (threadIdx.x >= live) return;
  asm volatile("bar.sync 1, 64;");
  out[threadIdx.x] = 1;
}
extern "C" __global__ void shared_at(int *out, int offset) {
  __shared__ int tile[64];
  tile[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = *(int *)((char *)tile + 4 * threadIdx.x + offset);
}
extern "C" __global__ void check(int *out, int limit) {
  if (threadIdx.x >= limit) asm volatile("trap;");
  out[threadIdx.x] = 1;
}
extern "C" __global__ void partial_sum(int *out, const int *in, int written) {
  int sum = 0;
  for (int k = 0; k < written; k++) sum += in[threadIdx.x * written + k];
  out[threadIdx.x] = sum;
}
extern "C" __global__ void from_next_block(int *data, int last) {
  if (threadIdx.x == 0) data[blockIdx.x] = data[blockIdx.x == last ? last : blockIdx.x + 1] + 1;
}
extern "C" __global__ void count_plainly(int *counter) {
  if (threadIdx.x == 0) counter[0] += 1;
}
extern "C" __global__ void same_result(int *out) {
  if (threadIdx.x == 0) out[0] = blockIdx.x;
}
extern "C" __global__ void between_warps(int *data, int barrier) {
  data[threadIdx.x] = threadIdx.x;
  if (barrier) __syncthreads();
  data[64 + threadIdx.x] = data[63 - threadIdx.x];
}
extern "C" __global__ void last_block_sums(int *out, int *parts, unsigned *arrived) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = blockIdx.x;
    __threadfence();
    last = atomicAdd(arrived, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    int sum = 0;
    for (int b = 0; b < gridDim.x; b++) sum += parts[b];
    out[0] = sum;
  }
}
extern "C" __global__ void last_block_by_hope(int *out, int *parts) {
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = blockIdx.x;
    if (blockIdx.x == gridDim.x - 1) {
      int sum = 0;
      for (int b = 0; b < gridDim.x; b++) sum += parts[b];
      out[0] = sum;
    }
  }
}
