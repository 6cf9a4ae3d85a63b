// Clusters of blocks, their distributed shared memory, and bulk copies with barriers.
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/ptx>

namespace cg = cooperative_groups;

// Bins are spread over the blocks of a cluster; each block adds to the bins of all.
extern "C" __global__ void histogram(int *bins, int binsPerBlock, const int *in, int n) {
  extern __shared__ int own[];
  cg::cluster_group cluster = cg::this_cluster();
  for (int k = threadIdx.x; k < binsPerBlock; k += blockDim.x) own[k] = 0;
  cluster.sync();
  for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x) {
    int bin = in[k];
    int *there = cluster.map_shared_rank(own, bin / binsPerBlock);
    atomicAdd(there + bin % binsPerBlock, 1);
  }
  cluster.sync();
  int *to = bins + cluster.block_rank() * binsPerBlock;
  for (int k = threadIdx.x; k < binsPerBlock; k += blockDim.x) atomicAdd(to + k, own[k]);
}

// What cooperative groups say of the cluster, four numbers of each thread.
extern "C" __global__ void places(int *out) {
  cg::cluster_group cluster = cg::this_cluster();
  int *to = out + 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  to[0] = cluster.block_rank();
  to[1] = cluster.num_blocks();
  to[2] = cluster.thread_rank();
  to[3] = cluster.num_threads();
}

// Each block brings a tile to shared memory, adds one to each word and brings it back.
extern "C" __global__ void addOne(int *data) {
  __shared__ alignas(128) int tile[512];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  int *mine = data + blockIdx.x * 512;
  if (threadIdx.x == 0) {
    init(&bar, blockDim.x);
    cuda::device::experimental::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  cuda::barrier<cuda::thread_scope_block>::arrival_token token;
  if (threadIdx.x == 0) {
    cuda::device::experimental::cp_async_bulk_global_to_shared(tile, mine, sizeof(tile), bar);
    token = cuda::device::barrier_arrive_tx(bar, 1, sizeof(tile));
  } else {
    token = bar.arrive();
  }
  bar.wait(std::move(token));
  for (int k = threadIdx.x; k < 512; k += blockDim.x) tile[k] += 1;
  cuda::device::experimental::fence_proxy_async_shared_cta();
  __syncthreads();
  if (threadIdx.x == 0) {
    cuda::device::experimental::cp_async_bulk_shared_to_global(mine, tile, sizeof(tile));
    cuda::device::experimental::cp_async_bulk_commit_group();
    cuda::device::experimental::cp_async_bulk_wait_group_read<0>();
  }
}

// Block 0 of each cluster brings a tile to all; each block reduces its own part into the sums.
extern "C" __global__ void __cluster_dims__(4, 1, 1) spread(int *sums, const int *in) {
  namespace ptx = cuda::ptx;
  __shared__ alignas(128) int tile[256];
  __shared__ alignas(8) uint64_t bar;
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&bar, 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    ptx::mbarrier_arrive_expect_tx(
        ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, sizeof(tile));
  }
  cluster.sync();
  if (cluster.block_rank() == 0 && threadIdx.x == 0) {
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile,
                       in + blockIdx.x / 4 * 256, sizeof(tile), &bar, (uint16_t)0xf);
  }
  while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {
  }
  if (threadIdx.x == 0) {
    int part = cluster.block_rank() * 64;
    ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, sums + part,
                              tile + part, 64 * sizeof(int));
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
  }
  cluster.sync();
}
