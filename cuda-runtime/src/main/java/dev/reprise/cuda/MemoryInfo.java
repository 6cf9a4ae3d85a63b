package dev.reprise.cuda;

/**
 * Memory of a device as its driver reports it (CUDA Driver API, "Memory Management", {@code
 * cuMemGetInfo}).
 *
 * @param freeBytes bytes that no process has allocated
 * @param totalBytes bytes of the device
 */
public record MemoryInfo(long freeBytes, long totalBytes) {}
