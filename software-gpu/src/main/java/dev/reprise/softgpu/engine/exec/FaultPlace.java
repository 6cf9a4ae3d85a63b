package dev.reprise.softgpu.engine.exec;

import org.jspecify.annotations.Nullable;

/**
 * Where a kernel did what a device stops for.
 *
 * @param what what it did, without the place
 * @param kernel its name
 * @param line PTX line; 0 for a deadlock
 * @param block index of the block
 * @param thread index of the thread in the block; null for a deadlock
 * @param address device address, or 0 where there is none
 */
public record FaultPlace(
    String what, String kernel, int line, String block, @Nullable String thread, long address) {}
