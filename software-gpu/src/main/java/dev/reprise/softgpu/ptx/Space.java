package dev.reprise.softgpu.ptx;

/** State spaces (PTX ISA, "State Spaces"); {@code GENERIC} where an instruction names none. */
public enum Space {
  GENERIC,
  GLOBAL,
  CONST,
  SHARED,
  /** Shared memory of all blocks of the cluster. */
  SHARED_CLUSTER,
  LOCAL,
  PARAM
}
