/**
 * Devices, streams, events, memory, modules, kernels and graphs of the CUDA driver as Java objects.
 *
 * {@snippet class="dev.reprise.cuda.snippets.FirstReplayTest" region="replay"}
 *
 * <p>Everything is {@link java.lang.AutoCloseable}. Closing is idempotent, may be done in any order
 * and at any time: what the GPU still uses is released behind its last use, which nobody waits for,
 * and what a graph captured lives as long as the graph. The use of something closed is an {@link
 * java.lang.IllegalStateException}; a driver call that fails is a {@link
 * dev.reprise.cuda.CudaException}.
 *
 * <p>All classes may be used from any thread, virtual ones included, unless they say otherwise. A
 * capture belongs to one platform thread.
 */
@NullMarked
package dev.reprise.cuda;

import org.jspecify.annotations.NullMarked;
