package dev.reprise.softgpu.engine.exec;

import dev.reprise.softgpu.ptx.Space;

/**
 * The address operand of an access.
 *
 * @param wide whether the register is a long
 * @param register array with the address, a constant array where there is no register
 * @param bytes bytes of one lane's access, all elements of a vector together
 */
public record MemoryAddress(Space space, boolean wide, int register, long offset, int bytes) {}
