/**
 * The kernels of a Llama decode step, loaded on a device, with typed helpers that check each launch
 * against the kernel's contract and prepare it.
 *
 * <p>A <i>row</i> is one token of one sequence at one position. A negative position marks a row of
 * padding, and nothing else does. Activations are f32, row-major and dense.
 */
@NullMarked
package dev.reprise.kernels;

import org.jspecify.annotations.NullMarked;
