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
 *
 * <h2>Raw handles</h2>
 *
 * {@code driverHandle()} of most classes gives the handle by which the driver knows the object, for
 * calls of the driver that these classes do not have, and for libraries that take such handles. It
 * is borrowed:
 *
 * <ul>
 *   <li>It is good while the object is open and reachable; a closed one gives none ({@link
 *       java.lang.IllegalStateException}). The object owns it: nobody else destroys it.
 *   <li>The runtime does not see what is done with it: work is not waited for when something that
 *       it uses is closed, graphs do not own what it uses, no stale graph is refused, and no access
 *       is checked. {@link dev.reprise.cuda.Stream#declare} makes up for that, for work on streams.
 *   <li>What the driver forbids during a capture is not refused before it breaks the capture.
 *   <li>A call that needs a current context needs {@code cuCtxSetCurrent} with {@link
 *       dev.reprise.cuda.Device#driverHandle} before it, on the same carrier thread.
 * </ul>
 */
@NullMarked
package dev.reprise.cuda;

import org.jspecify.annotations.NullMarked;
