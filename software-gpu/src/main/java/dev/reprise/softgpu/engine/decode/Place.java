package dev.reprise.softgpu.engine.decode;

import dev.reprise.softgpu.ptx.Space;
import dev.reprise.softgpu.ptx.Variable;

/** A variable and its address in a state space. */
final class Place implements Symbol {
  final Variable variable;
  final Space space;

  /**
   * Address in the space; that of dynamic shared memory is settled once all static variables are
   * placed.
   */
  long address;

  /** Whether the address counts from the frame pointer of the thread. */
  final boolean relative;

  Place(Variable variable, Space space, long address) {
    this(variable, space, address, false);
  }

  Place(Variable variable, Space space, long address, boolean relative) {
    this.variable = variable;
    this.space = space;
    this.address = address;
    this.relative = relative;
  }
}
