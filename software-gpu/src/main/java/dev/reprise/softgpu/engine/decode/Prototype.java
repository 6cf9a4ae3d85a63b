package dev.reprise.softgpu.engine.decode;

import dev.reprise.softgpu.ptx.Statement;

/** {@code .callprototype}. */
record Prototype(Statement.CallPrototype statement) implements Symbol {}
