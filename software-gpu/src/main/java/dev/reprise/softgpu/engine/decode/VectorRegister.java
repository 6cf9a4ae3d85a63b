package dev.reprise.softgpu.engine.decode;

import dev.reprise.softgpu.ptx.Operand;

/** {@code .reg .v2} or {@code .v4}: the name stands for its parts. */
record VectorRegister(Operand.Vector parts) implements Symbol {}
