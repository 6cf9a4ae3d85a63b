package dev.reprise.softgpu.engine.decode;

import dev.reprise.softgpu.ptx.PtxException;
import dev.reprise.softgpu.ptx.Space;
import dev.reprise.softgpu.ptx.Variable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Places of a kernel's variables in shared memory and in the local memory of a thread. */
final class FrameLayout {
  private static final long LIMIT = 64L << 20;

  private final Scope module;
  private final Map<String, Variable> moduleShared;
  private final Map<String, Place> placed = new HashMap<>();
  private final List<Place> dynamic = new ArrayList<>();
  private long sharedBytes;
  private LocalFrame local = new LocalFrame(false);

  /**
   * @param module names of the module's global and constant variables
   * @param moduleShared shared variables of the module; a kernel has those that it uses
   */
  FrameLayout(Scope module, Map<String, Variable> moduleShared) {
    this.module = module;
    this.moduleShared = moduleShared;
  }

  Scope module() {
    return module;
  }

  Place local(Variable v) {
    return local.place(v);
  }

  LocalFrame localFrame() {
    return local;
  }

  /** Local variables belong to this frame from now on. */
  void localFrame(LocalFrame frame) {
    local = frame;
  }

  /** A variable of a function. Dynamic shared memory has length 0 here. */
  Place shared(Variable v) {
    Place p = new Place(v, Space.SHARED, 0);
    if (v.bytes() == 0) {
      dynamic.add(p);
    } else {
      sharedBytes = align(sharedBytes, v.alignment());
      p.address = sharedBytes;
      sharedBytes = checked(sharedBytes + v.bytes(), v);
    }
    return p;
  }

  /** The shared variable of the module with that name, placed at its first use. */
  @Nullable Place moduleShared(String name) {
    Place p = placed.get(name);
    Variable v = moduleShared.get(name);
    if (p == null && v != null) {
      p = shared(v);
      placed.put(name, p);
    }
    return p;
  }

  /**
   * Places dynamic shared memory behind all static variables; call when the whole kernel has been
   * seen.
   */
  void finish() {
    int alignment = 1;
    for (Place p : dynamic) {
      alignment = Math.max(alignment, Math.max(16, p.variable.alignment()));
    }
    sharedBytes = align(sharedBytes, alignment);
    for (Place p : dynamic) {
      p.address = sharedBytes;
    }
  }

  /** Static shared memory; where there is dynamic memory, up to its start. */
  int sharedBytes() {
    return (int) sharedBytes;
  }

  static long checked(long bytes, Variable v) {
    if (bytes > LIMIT) {
      throw new PtxException(
          v.line(), 0, "variable " + v.name() + " is too large: " + v.bytes() + " bytes");
    }
    return bytes;
  }

  static long align(long value, long alignment) {
    return (value + alignment - 1) & -alignment;
  }
}
