package dev.reprise.softgpu.engine.decode;

import dev.reprise.softgpu.ptx.PtxException;
import dev.reprise.softgpu.ptx.Space;
import dev.reprise.softgpu.ptx.Variable;
import java.util.List;

/**
 * Local memory of a kernel, or of one activation of a procedure: results and parameters first, in
 * order, where callers expect them.
 */
final class LocalFrame {
  private final boolean relative;
  private long bytes;

  /**
   * @param relative whether addresses count from the frame pointer
   */
  LocalFrame(boolean relative) {
    this.relative = relative;
  }

  Place place(Variable v) {
    bytes = FrameLayout.align(bytes, v.alignment());
    Place p = new Place(v, Space.LOCAL, bytes, relative);
    bytes = FrameLayout.checked(bytes + v.bytes(), v);
    return p;
  }

  /** Offsets of results and parameters in the frame of whoever is called. */
  static long[] offsets(List<Variable> formals) {
    long[] offsets = new long[formals.size()];
    long at = 0;
    for (int k = 0; k < offsets.length; k++) {
      Variable v = formals.get(k);
      if (v.elements() == 0) {
        throw new PtxException(v.line(), 0, "parameter " + v.name() + " has no size");
      }
      at = FrameLayout.align(at, v.alignment());
      offsets[k] = at;
      at += v.bytes();
    }
    return offsets;
  }

  /** A multiple of 16. */
  int size() {
    return (int) FrameLayout.align(bytes, 16);
  }
}
