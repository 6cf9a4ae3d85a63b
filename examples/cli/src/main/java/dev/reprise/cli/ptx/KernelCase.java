package dev.reprise.cli.ptx;

import java.util.List;

/**
 * One launch of a kernel on given arguments.
 *
 * @param name what the answer calls it
 * @param ptx the text of the module
 * @param kernel its symbol
 * @param sharedBytes dynamic shared memory of each block
 */
public record KernelCase(
    String name,
    String ptx,
    String kernel,
    Extent grid,
    Extent block,
    int sharedBytes,
    List<CaseArgument> arguments) {}
