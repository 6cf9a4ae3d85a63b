package dev.reprise.softgpu.engine.exec;

/** Kinds of PTX instructions, as a profile counts them. */
public enum InstructionKind {
  F16,
  F32,
  F64,
  INTEGER,
  MATRIX,
  CONVERT_MOVE,
  GLOBAL,
  SHARED,
  OTHER_MEMORY,
  ATOMIC,
  WARP,
  BARRIER,
  CONTROL
}
