// Kernels of the runtime's tests. Compile with: nvcc -ptx -arch=compute_75 -O3 kernels.cu -o kernels.ptx

extern "C" __global__ void fill(int *out, int value, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = value;
}

extern "C" __global__ void scale(float *y, const float *x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i];
}

extern "C" __global__ void axpy(float *y, const float *x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = y[i] + a * x[i];
}

extern "C" __global__ void increment(int *counter) { *counter = *counter + 1; }

// Holds its stream until the host sets the flag, so that a test decides when work is in flight.
extern "C" __global__ void gate(const volatile int *flag) {
  while (*flag == 0) {
  }
}

// Writes each of its arguments, to show what arrived.
extern "C" __global__ void echo(char *out, int i32, long long i64, float f32, double f64) {
  *(int *)(out) = i32;
  *(long long *)(out + 8) = i64;
  *(float *)(out + 16) = f32;
  *(double *)(out + 24) = f64;
}

// Adds up a block's elements in dynamic shared memory.
extern "C" __global__ void blockSum(int *out, const int *in) {
  extern __shared__ int tile[];
  int t = threadIdx.x;
  tile[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step /= 2) {
    if (t < step) tile[t] += tile[t + step];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = tile[0];
}

// Writes where nothing is allocated.
extern "C" __global__ void strayWrite(long long address) { *(int *)address = 1; }
