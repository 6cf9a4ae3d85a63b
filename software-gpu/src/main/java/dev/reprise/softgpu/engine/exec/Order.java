package dev.reprise.softgpu.engine.exec;

import java.lang.invoke.VarHandle;

/**
 * Memory order of an access (PTX ISA, "Memory Consistency Model"). {@code STRONG} stands for
 * relaxed and volatile.
 */
public enum Order {
  WEAK,
  STRONG,
  ACQUIRE,
  RELEASE,
  BOTH;

  void before() {
    if (this == RELEASE || this == BOTH) {
      VarHandle.releaseFence();
    }
  }

  void after() {
    if (this == ACQUIRE || this == BOTH) {
      VarHandle.acquireFence();
    }
  }
}
