// SPDX-License-Identifier: Apache-2.0
// Penalties on tokens that a sequence has already seen.
//
// What a sequence has seen is a row of `history`, one word a token of the vocabulary: bit 31 is set when the token is in
// the prompt, the other bits count how often it was generated. The row stays on the device, so a decode loop uploads
// nothing; a row of logits finds its sequence's history through `slots`, and one below 0 has none.
#include "common.cuh"

constexpr unsigned kInPrompt = 0x80000000u;

// The slot of live row `row` or -1; sets a status bit when the slot does not exist.
__device__ __forceinline__ int slot_of(const int* __restrict__ slots, int row, int slot_count, int* status) {
  int slot = slots[row];
  if (slot < slot_count) return slot;
  if (threadIdx.x == 0) atomicOr(status, kSlotOutOfRange);
  return -1;
}

// For each logits row of a live row: a token that was seen has its logit divided (above 0) or multiplied (else) by the
// repetition penalty; one that was generated n times then loses presence + frequency * n. Every operation is rounded by
// itself, so that the result is the same on every device.
KERNEL penalize_rows(float* __restrict__ logits, const unsigned* __restrict__ history,
                     const float* __restrict__ repetitions, const float* __restrict__ presences,
                     const float* __restrict__ frequencies, const int* __restrict__ slots,
                     const int* __restrict__ row_index, const int* __restrict__ positions, int* status, int vocab,
                     int rows, int slot_count) {
  int i = blockIdx.y;
  int row = row_index[i];
  if (row < 0) return;
  if (row >= rows) {
    if (threadIdx.x == 0) atomicOr(status, kRowOutOfRange);
    return;
  }
  if (positions[row] < 0) return;
  float repetition = repetitions[i];
  float presence = presences[i];
  float frequency = frequencies[i];
  if (repetition == 1.0f && presence == 0.0f && frequency == 0.0f) return;
  int slot = slot_of(slots, row, slot_count, status);
  if (slot < 0) return;
  int token = blockIdx.x * blockDim.x + threadIdx.x;
  if (token >= vocab) return;
  unsigned seen = history[static_cast<size_t>(slot) * vocab + token];
  if (seen == 0) return;
  float* logit = logits + static_cast<size_t>(i) * vocab + token;
  float value = *logit;
  value = value > 0.0f ? __fdiv_rn(value, repetition) : __fmul_rn(value, repetition);
  unsigned generated = seen & ~kInPrompt;
  if (generated != 0) {
    float less = __fadd_rn(presence, __fmul_rn(frequency, static_cast<float>(generated)));
    value = __fadd_rn(value, -less);
  }
  *logit = value;
}

// Marks the token of each live row as part of its sequence's prompt. Several rows may be of one sequence.
KERNEL history_mark(const int* __restrict__ tokens, const int* __restrict__ positions, const int* __restrict__ slots,
                    unsigned* history, int* status, int rows, int vocab, int slot_count) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows || positions[row] < 0) return;
  int slot = slots[row];
  if (slot >= slot_count) atomicOr(status, kSlotOutOfRange);
  int token = tokens[row];
  // A token beyond the vocabulary is reported where it is embedded.
  if (slot < 0 || slot >= slot_count || token < 0 || token >= vocab) return;
  atomicOr(history + static_cast<size_t>(slot) * vocab + token, kInPrompt);
}

// Counts the token that was sampled for each logits row of a live row.
KERNEL history_count(const int* __restrict__ sampled, const int* __restrict__ row_index,
                     const int* __restrict__ positions, const int* __restrict__ slots, unsigned* history, int* status,
                     int logits_rows, int rows, int vocab, int slot_count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= logits_rows) return;
  int row = row_index[i];
  if (row >= rows) atomicOr(status, kRowOutOfRange);
  if (row < 0 || row >= rows || positions[row] < 0) return;
  int slot = slots[row];
  if (slot >= slot_count) atomicOr(status, kSlotOutOfRange);
  int token = sampled[i];
  if (slot < 0 || slot >= slot_count || token < 0 || token >= vocab) return;
  atomicAdd(history + static_cast<size_t>(slot) * vocab + token, 1u);
}
