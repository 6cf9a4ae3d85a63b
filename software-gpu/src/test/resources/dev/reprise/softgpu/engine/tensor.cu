// Tensor cores: fragments, ldmatrix with mma, asynchronous copies, barriers in shared memory.
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

// c (16 x 16) = a (16 x k) times b (k x 16), one warp.
extern "C" __global__ void fragments(float *c, const __half *a, const __half *b, int k) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 1.f);
  for (int i = 0; i < k; i += 16) {
    wmma::load_matrix_sync(fa, a + i, k);
    wmma::load_matrix_sync(fb, b + i, k);
    wmma::mma_sync(fc, fa, fb, fc);
  }
  for (int i = 0; i < fc.num_elements; i++) fc.x[i] *= 2.f;
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}

extern "C" __global__ void bytes(int *c, const signed char *a, const unsigned char *unused, const signed char *b) {
  wmma::fragment<wmma::matrix_a, 8, 32, 16, signed char, wmma::col_major> fa;
  wmma::fragment<wmma::matrix_b, 8, 32, 16, signed char, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 8, 32, 16, int> fc;
  wmma::fill_fragment(fc, 5);
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 48);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, 8, wmma::mem_col_major);
}

// c (16 x 8) = a (16 x 8) times b (8 x 8), as kernels written by hand do it.
extern "C" __global__ void by_hand(float *c, const __half *a, const __half *b) {
  __shared__ __align__(16) __half sa[16 * 8], sb[8 * 8];
  int lane = threadIdx.x;
  for (int i = lane; i < 128; i += 32) sa[i] = a[i];
  for (int i = lane; i < 64; i += 32) sb[i] = b[i];
  __syncwarp();
  unsigned pa = (unsigned)__cvta_generic_to_shared(sa + (lane & 15) * 8);
  unsigned pb = (unsigned)__cvta_generic_to_shared(sb + (lane & 7) * 8);
  unsigned a0, a1, b0;
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(a0), "=r"(a1) : "r"(pa));
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "=r"(b0) : "r"(pb));
  float d[4];
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%7,%7,%7};"
               : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
               : "r"(a0), "r"(a1), "r"(b0), "f"(0.f));
  int row = lane / 4, column = lane % 4 * 2;
  c[row * 8 + column] = d[0];
  c[row * 8 + column + 1] = d[1];
  c[(row + 8) * 8 + column] = d[2];
  c[(row + 8) * 8 + column + 1] = d[3];
}

#if __CUDA_ARCH__ >= 800
#include <cuda_pipeline.h>
// Two stages: while one is summed, the next is on its way.
extern "C" __global__ void stages(float *out, const float *in, int tiles) {
  __shared__ float stage[2][128];
  int t = threadIdx.x;
  float sum = 0;
  __pipeline_memcpy_async(&stage[0][t], in + t, 4);
  __pipeline_commit();
  for (int k = 0; k < tiles; k++) {
    if (k + 1 < tiles) __pipeline_memcpy_async(&stage[(k + 1) & 1][t], in + (k + 1) * blockDim.x + t, 4);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    sum += stage[k & 1][(t + 1) % blockDim.x];
    __syncthreads();
  }
  out[t] = sum;
}
#endif
