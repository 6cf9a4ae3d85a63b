package dev.reprise.softgpu.sanitizer;

/** How much the sanitizer looks for; each level includes those before it. */
public enum SanitizerLevel {
  /** No reports; faults still poison their context. */
  OFF,
  /** Faults become reports. Costs nothing while there is none. */
  FAULTS,
  /** The same with Java stacks, and leaks. */
  STACKS,
  /** Everything. Kernels are interpreted, one block at a time. */
  FULL
}
