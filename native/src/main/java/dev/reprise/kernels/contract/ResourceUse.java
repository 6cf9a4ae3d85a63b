package dev.reprise.kernels.contract;

/**
 * What ptxas reports for one kernel on one device architecture.
 *
 * @param module the module the kernel is in
 * @param kernel its name
 * @param device the architecture, such as {@code sm_90}
 * @param registers registers a thread
 * @param sharedBytes static shared memory a block, in bytes
 * @param stackBytes stack a thread, in bytes
 * @param spillStoreBytes bytes of registers spilled to local memory a thread
 * @param spillLoadBytes bytes read back
 */
public record ResourceUse(
    String module,
    String kernel,
    String device,
    int registers,
    int sharedBytes,
    int stackBytes,
    int spillStoreBytes,
    int spillLoadBytes) {}
