package dev.reprise.cuda;

/**
 * Memory that a graph captured, as it was at the capture.
 *
 * @param label the label of the buffer
 * @param address its device address, or for pinned memory its host address
 * @param size bytes of the whole buffer
 * @param epoch the buffer's epoch at the capture; a replay is refused once it differs
 */
public record Region(String label, long address, long size, int epoch) {}
