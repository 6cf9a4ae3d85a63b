/**
 * Exact counts of what kernels did: instructions, flops, memory traffic in sectors, bank conflicts,
 * divergence ({@link dev.reprise.softgpu.profile.Profiler}), and checks of them for tests ({@link
 * dev.reprise.softgpu.profile.ProfileAssert}).
 */
@NullMarked
package dev.reprise.softgpu.profile;

import org.jspecify.annotations.NullMarked;
