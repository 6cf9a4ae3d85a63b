// nvcc -ptx -arch=compute_75 -O3 probe.cu -o probe.ptx
extern "C" __device__ int counter = 5;
extern "C" __global__ void fill(int *out, int value, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = value;
}
extern "C" __global__ void add(int *out, const int *a, int b, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = a[i] + b;
}
extern "C" __global__ void mixed(long long *out, signed char c, long long l, short s, double d) {
  out[0] = c; out[1] = l; out[2] = s; out[3] = (long long)d;
}
extern "C" __global__ void reverse(int *data, int count) {
  extern __shared__ int tile[];
  int i = threadIdx.x;
  tile[i] = data[i];
  __syncthreads();
  data[i] = tile[count - 1 - i];
}
extern "C" __global__ void read_counter(int *out) { out[0] = counter; }
extern "C" __global__ void trap() { __trap(); }
extern "C" __global__ void __launch_bounds__(64) bounded(int *out) { out[threadIdx.x] = 1; }
extern "C" __global__ void nothing() {}
