package dev.reprise.softgpu.engine.decode;

import dev.reprise.softgpu.ptx.PtxType;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Names of one block of PTX text; each inlined copy of a function has scopes of its own. */
final class Scope {
  private record Range(PtxType type, int count) {}

  private final @Nullable Scope parent;
  private final Map<String, Symbol> symbols = new HashMap<>();
  private final Map<String, Range> ranges = new HashMap<>();

  /** Whether the code belongs to a {@code .func}, whose parameters lie in local memory. */
  final boolean inFunction;

  Scope(@Nullable Scope parent, boolean inFunction) {
    this.parent = parent;
    this.inFunction = inFunction;
  }

  void put(String name, Symbol symbol) {
    symbols.put(name, symbol);
  }

  /** {@code .reg .b32 %r<10>}. */
  void putRange(String prefix, PtxType type, int count) {
    ranges.put(prefix, new Range(type, count));
  }

  @Nullable Symbol find(String name) {
    Symbol s = symbols.get(name);
    if (s != null) {
      return s;
    }
    s = fromRange(name);
    if (s != null) {
      symbols.put(name, s);
      return s;
    }
    return parent == null ? null : parent.find(name);
  }

  private @Nullable Symbol fromRange(String name) {
    int digits = name.length();
    while (digits > 0 && Character.isDigit(name.charAt(digits - 1))) {
      digits--;
    }
    // A prefix may end in digits itself, as in %f16_<3>; all cuts are tried.
    for (int cut = digits; cut < name.length(); cut++) {
      Range r = ranges.get(name.substring(0, cut));
      if (r != null
          && name.length() - cut < 10
          && Integer.parseInt(name.substring(cut)) < r.count) {
        return new VirtualRegister(name, r.type);
      }
    }
    return null;
  }
}
