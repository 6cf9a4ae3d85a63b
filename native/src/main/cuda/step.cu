// SPDX-License-Identifier: Apache-2.0
// Feeds the sampled tokens back as the inputs of the next step, so that a decode loop needs nothing from the host.
#include "common.cuh"

// For each logits row i of a live row r = row_index[i]: tokens[r] = sampled[i], positions[r] += 1. What was sampled also
// goes to generated[step % ring][i] (-1 for padding), and step advances by one. One block: step has one writer.
KERNEL step_advance(const int* sampled, const int* row_index, int* tokens, int* positions, int* generated,
                    unsigned* step, int* status, int logits_rows, int rows, int ring) {
  unsigned now = *step;
  __syncthreads();
  if (threadIdx.x == 0) *step = now + 1;
  int* slot = generated + static_cast<size_t>(now % static_cast<unsigned>(ring)) * logits_rows;
  for (int i = threadIdx.x; i < logits_rows; i += blockDim.x) {
    int row = row_index[i];
    int written = -1;
    if (row >= rows) {
      atomicOr(status, kRowOutOfRange);
    } else if (row >= 0) {
      int position = positions[row];
      if (position >= 0) {
        int token = sampled[i];
        if (token >= 0) {
          tokens[row] = token;
          positions[row] = position + 1;
          written = token;
        } else {
          atomicOr(status, kRowNotAdvanced);
        }
      }
    }
    slot[i] = written;
  }
}
