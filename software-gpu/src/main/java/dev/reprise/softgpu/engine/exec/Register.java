package dev.reprise.softgpu.engine.exec;

/** A register or temporary: its class and the number of its array there. */
public record Register(RegisterKind kind, int index) {}
