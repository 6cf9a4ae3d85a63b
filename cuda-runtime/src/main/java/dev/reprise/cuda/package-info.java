/**
 * Devices, streams, events, memory, modules, kernels and graphs of the CUDA driver as Java objects.
 *
 * {@snippet lang=java :
 * try (Device device = Device.open(0);
 *     Stream stream = device.createStream("main");
 *     CudaModule module = device.loadModule("vector", ptx);
 *     DeviceBuffer x = device.allocate("x", n * 4L);
 *     DeviceBuffer y = device.allocate("y", n * 4L)) {
 *   stream.write(MemorySegment.ofArray(input), x, 0);
 *
 *   PreparedLaunch scale =
 *       module
 *           .kernel("scale")
 *           .prepare(
 *               LaunchConfig.covering(n, 256),
 *               KernelArg.write(y),
 *               KernelArg.read(x),
 *               KernelArg.f32(2f),
 *               KernelArg.i32(n));
 *
 *   try (Graph graph = stream.capture(capture -> scale.launch(stream));
 *       GraphExec exec = graph.instantiate()) {
 *     exec.replay(stream);
 *   }
 *   stream.read(y, 0, MemorySegment.ofArray(output));
 * }
 * }
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
