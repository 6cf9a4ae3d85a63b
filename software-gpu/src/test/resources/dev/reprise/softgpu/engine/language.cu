// What the language has beyond arithmetic: calls, tables of functions, objects, local memory,
// constants that hold addresses, printing, allocation, assertions.
#include <cassert>
#include <cstdio>

__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

__device__ bool odd(unsigned n);
__device__ __noinline__ bool even(unsigned n) { return n == 0 ? true : odd(n - 1); }
__device__ __noinline__ bool odd(unsigned n) { return n == 0 ? false : even(n - 1); }

// Each activation hands the address of its own array to the next.
__device__ __noinline__ int chain(const int *from, int depth) {
  int own[4];
  for (int k = 0; k < 4; k++) own[k] = from[(k + depth) & 3] + k;
  int below = depth == 0 ? 0 : chain(own, depth - 1);
  return below + own[depth & 3] * (depth + 1);
}

extern "C" __global__ void recursion(int *out, const int *in) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int seed[4] = {in[t], in[t] * 2, 3, t};
  int r = fibonacci(in[t] % 12);
  if (t % 3 == 0) r += 1000 * even(in[t] % 7);
  out[t] = r + 100000 * (chain(seed, t % 5) & 63);
}

typedef float (*Operation)(float, float);
__device__ __noinline__ float plus(float a, float b) { return a + b; }
__device__ __noinline__ float minus(float a, float b) { return a - b; }
__device__ __noinline__ float times(float a, float b) { return a * b; }
__device__ __noinline__ float powers(float a, float b) {
  return b <= 1.f ? a : times(a, powers(a, b - 1.f));
}
__device__ Operation table[4] = {plus, minus, times, powers};

extern "C" __global__ void pointers(float *out, const float *a, const float *b, const int *which) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  Operation f = table[which[t] & 3];
  out[t] = f(a[t], b[t]) + 1.f;
}

struct Shape {
  int tag;
  __device__ Shape(int t) : tag(t) {}
  __device__ virtual float area() const = 0;
  __device__ virtual float scaled(float by) const { return area() * by; }
};
struct Square : Shape {
  float side;
  __device__ Square(float s) : Shape(1), side(s) {}
  __device__ float area() const override { return side * side; }
};
struct Strip : Shape {
  float side;
  __device__ Strip(float s) : Shape(2), side(s) {}
  __device__ float area() const override { return side * 3.f; }
  __device__ float scaled(float by) const override { return side + by; }
};

extern "C" __global__ void objects(float *out, const float *in) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  Shape *s = in[t] < 5.f ? (Shape *)new Square(in[t]) : (Shape *)new Strip(in[t]);
  out[t] = s ? s->scaled(2.f) + s->area() + s->tag : -1.f;
  free(s);
}

struct Triple {
  double a;
  int b;
  short c[5];
};
__device__ __noinline__ Triple turn(Triple x, int by) {
  Triple r;
  r.a = x.a * by;
  r.b = x.b - by;
  for (int k = 0; k < 5; k++) r.c[k] = x.c[(k + by) % 5];
  return r;
}

extern "C" __global__ void structs(double *out, Triple in) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  Triple r = turn(turn(in, t % 4 + 1), 2);
  out[t] = r.a + r.b * 10. + r.c[t % 5] * 1000.;
}

__device__ int numbers[4] = {11, 22, 33, 44};
__constant__ int *const places[3] = {numbers + 2, numbers, numbers + 3};
__constant__ char words[] = "warp";
__device__ unsigned short halves[3] = {1, 65535, 7};

extern "C" __global__ void constants(int *out) {
  int t = threadIdx.x;
  out[t] = *places[t % 3] + words[t % 4] * 100 + halves[t % 3] * 100000;
}

extern "C" __global__ void __launch_bounds__(128) local(int *out, int n) {
  extern __shared__ int buffer[];
  int stack[32];
  int t = threadIdx.x;
  for (int k = 0; k < n; k++) stack[(k * 7 + t) & 31] = k * t;
  buffer[t] = stack[(3 * t) & 31];
  __syncthreads();
  asm("{ .reg .s32 %x; mov.s32 %x, %1; { .reg .s32 %x; mov.s32 %x, 5; add.s32 %0, %x, 1; } add.s32 %0, %0, %x; }"
      : "=r"(stack[0])
      : "r"(buffer[(t + 1) % blockDim.x]));
  out[t] = stack[0];
}

extern "C" __global__ void print(int n, float x) {
  if (threadIdx.x < n)
    printf("block %u thread %2d: %5.2f %s %#x %c%% %lld\n", blockIdx.x, threadIdx.x, x * threadIdx.x,
           threadIdx.x & 1 ? "odd" : "even", threadIdx.x * 16, 'a' + threadIdx.x, 1LL << (32 + threadIdx.x));
}

extern "C" __global__ void allocate(int *out, int bytes) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int *mine = (int *)malloc(bytes);
  if (mine) {
    for (int k = 0; k < bytes / 4; k++) mine[k] = t + k;
    int sum = 0;
    for (int k = 0; k < bytes / 4; k++) sum += mine[k];
    out[t] = sum;
  } else {
    out[t] = -1;
  }
  free(mine);
}

extern "C" __global__ void check(int *out, int limit) {
  assert((int)threadIdx.x < limit);
  out[threadIdx.x] = 1;
}

extern "C" __global__ void fault(int *out, int at) {
  out[0] = 1;
  if (threadIdx.x == 3) out[at] = 2;
}
