package dev.reprise.softgpu.memory;

/**
 * Device memory apart from its addresses: {@link AddressSpace#map} makes it visible at some.
 *
 * @param block the native block to free in the end
 * @param host native address of byte 0
 * @param size bytes
 */
public record PhysicalMemory(long block, long host, long size) {}
