// Cooperative groups: the grid, tiles, coalesced lanes.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

// Three rounds in which every block reads what the others wrote in the round before.
extern "C" __global__ void rounds(int *values, int *next) {
  cg::grid_group grid = cg::this_grid();
  unsigned n = grid.size(), t = grid.thread_rank();
  for (int round = 0; round < 3; round++) {
    next[t] = values[(t + blockDim.x) % n] * 3 + values[(t + 1) % n];
    grid.sync();
    values[t] = next[t];
    grid.sync();
  }
}

extern "C" __global__ void valid(int *out) { out[threadIdx.x] = cg::this_grid().is_valid(); }

extern "C" __global__ void tiles(int *out, const int *in) {
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<8>(block);
  int t = block.thread_rank();
  int sum = cg::reduce(tile, in[t], cg::plus<int>());
  int most = 0;
  if (in[t] % 3 == 1) {
    cg::coalesced_group some = cg::coalesced_threads();
    most = some.size() * 100 + some.thread_rank();
    most += some.shfl(in[t], 0) * 10000;
  }
  out[t] = sum * 7 + most;
}
