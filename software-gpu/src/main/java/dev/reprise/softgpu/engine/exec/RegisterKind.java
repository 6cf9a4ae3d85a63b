package dev.reprise.softgpu.engine.exec;

/**
 * Classes of registers: each lies in arrays of its own element type, predicates in one bit mask a
 * warp.
 */
public enum RegisterKind {
  INT,
  FLOAT,
  LONG,
  DOUBLE,
  PREDICATE
}
