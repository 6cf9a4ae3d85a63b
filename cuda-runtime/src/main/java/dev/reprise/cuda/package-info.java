/**
 * Devices, streams, events, memory, modules, kernels and graphs of the CUDA driver as Java objects.
 */
@NullMarked
package dev.reprise.cuda;

import org.jspecify.annotations.NullMarked;
