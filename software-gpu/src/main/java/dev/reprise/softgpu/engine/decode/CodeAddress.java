package dev.reprise.softgpu.engine.decode;

/** A function, standing for its address. */
record CodeAddress(long address) implements Symbol {}
