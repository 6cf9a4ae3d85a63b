package dev.reprise.cuda;

/**
 * One pointer in a captured graph, known by the region it points into.
 *
 * @param operation the kernel, copy or fill that holds the pointer
 * @param argument the index of the kernel's argument; for a copy 0 is the target and 1 the source
 * @param region the memory
 * @param offset bytes from the start of the region
 * @param access what the operation does with the memory
 */
public record CapturedPointer(
    String operation, int argument, Region region, long offset, Access access) {}
