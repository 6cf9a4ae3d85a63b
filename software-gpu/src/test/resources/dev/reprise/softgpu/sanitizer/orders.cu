// nvcc -ptx -arch=compute_75 -O2 -lineinfo orders.cu -o orders.ptx
// Threads that hand on words of global memory to threads that no barrier orders with them, with all that it
// takes or with a piece missing. In "how" each bit adds one piece.
#include <cooperative_groups.h>
#include <cuda/atomic>

// The last block hands 64 words to the first one, by a flag that one thread of each stores and loads.
extern "C" __global__ void hand_over(int *out, int *data, volatile int *flag, int how) {
  int i = threadIdx.x;
  if (blockIdx.x == gridDim.x - 1) {
    data[i] = i;
    if (how & 1) __threadfence();
    if ((how & 2) && i == 0) __threadfence();
    if (how & 4) __syncthreads();
    if ((how & 8) && i == 0) __threadfence();
    if ((how & 16) && i == 32) __threadfence();
    if ((how & 32) && i == 0) __threadfence_block();
    if (i == 0) *flag = 1;
  } else {
    if (i == 0) while (*flag == 0) {}
    if ((how & 64) && i == 0) __threadfence();
    if ((how & 128) && i == 32) __threadfence();
    if (how & 256) __syncthreads();
    if (how & 512) __threadfence();
    out[i] = data[63 - i];
  }
}
// The same from one thread to one thread, by atomics.
extern "C" __global__ void message(int *out, int *data, int *flag, int how) {
  if (blockIdx.x == gridDim.x - 1) {
    data[0] = 7;
    if (how & 1) __threadfence();
    atomicExch(flag, 1);
  } else {
    while (atomicAdd(flag, 0) == 0) {}
    if (how & 2) __threadfence();
    out[0] = data[0];
    if (how & 4) *flag = 0;
  }
}
// The last block to take a ticket sums up.
extern "C" __global__ void ticket(int *out, int *parts, unsigned *taken, int how) {
  __shared__ bool last;
  int i = threadIdx.x;
  if ((how & 1) || i == 0) parts[blockIdx.x * blockDim.x + i] = i;
  if (how & 2) __threadfence();
  if (how & 4) __syncthreads();
  if (i == 0) {
    if (how & 8) __threadfence();
    last = atomicInc(taken, gridDim.x) == gridDim.x - 1;
    if (how & 16) __threadfence();
  }
  __syncthreads();
  if (last) {
    int sum = 0;
    for (int b = 0; b < gridDim.x; b++) sum += parts[b * blockDim.x + ((how & 1) ? 63 - i : 0)];
    out[i] = sum;
    if (i == 0) *taken = 0;
  }
}
// One thread takes the ticket and sums up at once.
extern "C" __global__ void own_ticket(int *out, int *parts, unsigned *taken, int how) {
  if (threadIdx.x != 0) return;
  parts[blockIdx.x] = blockIdx.x;
  if (how & 1) __threadfence();
  bool last = atomicAdd(taken, 1) == gridDim.x - 1;
  if (how & 2) __threadfence();
  if (last) {
    int sum = 0;
    for (int b = 0; b < gridDim.x; b++) sum += parts[b];
    out[0] = sum;
  }
}
// What the second block is told by the first it passes on to the third.
extern "C" __global__ void passed_on(int *out, int *data, volatile int *flags, int how) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    data[0] = 7;
    __threadfence();
    flags[0] = 1;
  } else if (blockIdx.x == 1) {
    while (flags[0] == 0) {}
    if (how & 1) __threadfence();
    flags[1] = 1;
  } else {
    while (flags[1] == 0) {}
    __threadfence();
    out[0] = data[0];
  }
}
extern "C" __global__ void locked(int *counter, int *lock, int how) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {}
  if (how & 1) __threadfence();
  *counter += 1;
  if (how & 2) __threadfence();
  atomicExch(lock, 0);
}
// One warp of a block hands a word to the other, by a flag in shared memory.
extern "C" __global__ void within_block(int *out, int *data, int how) {
  __shared__ volatile int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x == 32) {
    data[0] = 7;
    if (how & 1) __threadfence_block();
    flag = 1;
  } else if (threadIdx.x == 0) {
    while (flag == 0) {}
    if (how & 2) __threadfence_block();
    out[0] = data[0];
  }
}
// One lane hands over for its warp.
extern "C" __global__ void by_one_lane(int *out, int *data, volatile int *flag, int how) {
  int i = threadIdx.x;
  if (blockIdx.x == gridDim.x - 1) {
    data[i] = i;
    if (how & 1) __syncwarp();
    if (i == 0) {
      __threadfence();
      *flag = 1;
    }
  } else {
    if (i == 0) {
      while (*flag == 0) {}
      __threadfence();
    }
    if (how & 2) __syncwarp();
    out[i] = data[31 - i];
  }
}
// Each block adds to what the one before it has, and says so.
extern "C" __global__ void look_back(int *sums, volatile int *done, int how) {
  if (threadIdx.x != 0) return;
  int before = 0;
  if (blockIdx.x > 0) {
    while (done[blockIdx.x - 1] == 0) {}
    if (how & 1) __threadfence();
    before = sums[blockIdx.x - 1];
  }
  sums[blockIdx.x] = before + 1;
  if (how & 2) __threadfence();
  done[blockIdx.x] = 1;
}
// Sum and state in one word, so that no other word needs an order.
extern "C" __global__ void look_back_in_one_word(volatile unsigned long long *sums) {
  if (threadIdx.x != 0) return;
  unsigned before = 0;
  if (blockIdx.x > 0) {
    unsigned long long seen;
    do seen = sums[blockIdx.x - 1];
    while (seen >> 32 == 0);
    before = (unsigned)seen;
  }
  sums[blockIdx.x] = 1ull << 32 | (before + 1);
}
// All blocks meet in each round, at a barrier of their own.
extern "C" __global__ void own_grid_barrier(int *data, unsigned *arrived, int rounds, int how) {
  for (int r = 1; r <= rounds; r++) {
    if (threadIdx.x == 32)
      data[(r & 1) * gridDim.x + blockIdx.x] = data[(~r & 1) * gridDim.x + (blockIdx.x + 1) % gridDim.x] + 1;
    __syncthreads();
    if (threadIdx.x == 0) {
      if (how & 1) __threadfence();
      atomicAdd(arrived, 1);
      while (*(volatile unsigned *)arrived < r * gridDim.x) {}
      if (how & 2) __threadfence();
    }
    __syncthreads();
  }
}
extern "C" __global__ void grid_rounds(int *data, int rounds) {
  for (int r = 1; r <= rounds; r++) {
    if (threadIdx.x == 0)
      data[(r & 1) * gridDim.x + blockIdx.x] = data[(~r & 1) * gridDim.x + (blockIdx.x + 1) % gridDim.x] + 1;
    cooperative_groups::this_grid().sync();
  }
}

template <cuda::thread_scope scope>
__device__ void by_reference(int *out, int *data, int *flag, cuda::memory_order store, cuda::memory_order load) {
  cuda::atomic_ref<int, scope> ready(*flag);
  if (blockIdx.x == gridDim.x - 1) {
    data[0] = 7;
    ready.store(1, store);
  } else {
    while (ready.load(load) == 0) {}
    out[0] = data[0];
  }
}
extern "C" __global__ void ref_acquire_release(int *out, int *data, int *flag) {
  by_reference<cuda::thread_scope_device>(out, data, flag, cuda::memory_order_release, cuda::memory_order_acquire);
}
extern "C" __global__ void ref_sequential(int *out, int *data, int *flag) {
  by_reference<cuda::thread_scope_system>(out, data, flag, cuda::memory_order_seq_cst, cuda::memory_order_seq_cst);
}
extern "C" __global__ void ref_relaxed_load(int *out, int *data, int *flag) {
  by_reference<cuda::thread_scope_device>(out, data, flag, cuda::memory_order_release, cuda::memory_order_relaxed);
}
extern "C" __global__ void ref_relaxed_store(int *out, int *data, int *flag) {
  by_reference<cuda::thread_scope_device>(out, data, flag, cuda::memory_order_relaxed, cuda::memory_order_acquire);
}
extern "C" __global__ void ref_of_block(int *out, int *data, int *flag) {
  by_reference<cuda::thread_scope_block>(out, data, flag, cuda::memory_order_release, cuda::memory_order_acquire);
}
extern "C" __global__ void ref_fences(int *out, int *data, int *flag) {
  cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
  if (blockIdx.x == gridDim.x - 1) {
    data[0] = 7;
    cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
    ready.store(1, cuda::memory_order_relaxed);
  } else {
    while (ready.load(cuda::memory_order_relaxed) == 0) {}
    cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
    out[0] = data[0];
  }
}
