// nvcc -ptx -arch=compute_75 -O2 -lineinfo mistakes.cu -o mistakes.ptx
// Small kernels with a mistake each, and the same without it.
extern "C" __global__ void fill(int *out, int value, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = value;
}
extern "C" __global__ void fill_tail(int *out, int value, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= count) out[i] = value;
}
extern "C" __global__ void add(int *out, const int *in, int value, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = in[i] + value;
}
extern "C" __global__ void neighbour(int *out, const int *in, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = in[i] + in[i - 1];
}
extern "C" __global__ void count_up(int *counter) { atomicAdd(counter, 1); }
extern "C" __global__ void reverse(int *data) {
  __shared__ int tile[256];
  int i = threadIdx.x;
  tile[i] = data[i];
  __syncthreads();
  data[i] = tile[blockDim.x - 1 - i];
}
extern "C" __global__ void reverse_without_barrier(int *data) {
  __shared__ int tile[256];
  int i = threadIdx.x;
  tile[i] = -1;
  __syncthreads();
  tile[i] = data[i];
  data[i] = tile[blockDim.x - 1 - i];
}
extern "C" __global__ void rounds(int *data, int count) {
  __shared__ int tile[256];
  int i = threadIdx.x;
  for (int k = 0; k < count; k++) {
    tile[i] = data[i] + k;
    __syncthreads();
    data[i] = tile[(i + 33) % blockDim.x];
    __syncthreads();
  }
}
extern "C" __global__ void rounds_without_second_barrier(int *data, int count) {
  __shared__ int tile[256];
  int i = threadIdx.x;
  for (int k = 0; k < count; k++) {
    tile[i] = data[i] + k;
    __syncthreads();
    data[i] = tile[(i + 33) % blockDim.x];
  }
}
extern "C" __global__ void one_winner(int *out) {
  __shared__ volatile int winner;
  if (threadIdx.x == 0) winner = 0;
  __syncthreads();
  if (threadIdx.x == 40) winner = 40;
  __syncthreads();
  if (threadIdx.x == 0) out[0] = winner;
}
extern "C" __global__ void two_winners(int *out) {
  __shared__ int winner;
  if (threadIdx.x % 32 == 0) winner = threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) out[0] = winner;
}
extern "C" __global__ void histogram(int *out, const int *in) {
  __shared__ int bins[32];
  if (threadIdx.x < 32) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[in[threadIdx.x] & 31], 1);
  __syncthreads();
  if (threadIdx.x < 32) out[threadIdx.x] = bins[threadIdx.x];
}
extern "C" __global__ void histogram_read_early(int *out, const int *in) {
  __shared__ int bins[32];
  if (threadIdx.x < 32) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[in[threadIdx.x] & 31], 1);
  if (threadIdx.x < 32) out[threadIdx.x] = bins[threadIdx.x];
}
extern "C" __global__ void warp_sum(int *out, const int *in) {
  __shared__ int tile[32];
  int i = threadIdx.x;
  tile[i] = in[i];
  __syncwarp();
  int sum = tile[i] + tile[i ^ 1];
  __syncwarp();
  tile[i] = sum;
  __syncwarp();
  out[i] = tile[i ^ 2];
}
extern "C" __global__ void warp_sum_without_sync(int *out, const int *in) {
  __shared__ int tile[32];
  int i = threadIdx.x;
  tile[i] = in[i];
  out[i] = tile[i] + tile[i ^ 1];
}
extern "C" __global__ void partly_loaded(int *out, const int *in, int loaded) {
  __shared__ int tile[64];
  int i = threadIdx.x;
  if (i < loaded) tile[i] = in[i];
  __syncthreads();
  out[i] = tile[63 - i];
}
extern "C" __global__ void two_barriers(int *out) {
  if (threadIdx.x < 16) {
    out[threadIdx.x] = 1;
    asm volatile("bar.sync 0;");
    out[threadIdx.x] += 2;
  } else {
    out[threadIdx.x] = 3;
    asm volatile("bar.sync 0;");
    out[threadIdx.x] += 4;
  }
}
extern "C" __global__ void barrier_of_half(int *out) {
  if (threadIdx.x < 32) asm volatile("bar.sync 1, 64;");
  else asm volatile("bar.sync 2, 64;");
  out[threadIdx.x] = 1;
}
extern "C" __global__ void foreign_lane(int *out) {
  out[threadIdx.x] = __shfl_sync(0x0000ffff, (int)threadIdx.x, 0);
}
extern "C" __global__ void own_lanes(int *out) {
  out[threadIdx.x] = __shfl_sync(0xffffffff, (int)threadIdx.x, 0);
}
extern "C" __global__ void beyond_shared(int *out, int at) {
  extern __shared__ int room[];
  room[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = room[threadIdx.x + at];
}
extern "C" __global__ void gather(float *out, const float *cache, const int *table, int width) {
  out[threadIdx.x] = cache[table[blockIdx.x] * width + threadIdx.x];
}
extern "C" __global__ void trap() { __trap(); }
