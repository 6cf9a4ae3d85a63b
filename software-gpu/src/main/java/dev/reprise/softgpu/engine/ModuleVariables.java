package dev.reprise.softgpu.engine;

import dev.reprise.softgpu.memory.AddressSpace;
import dev.reprise.softgpu.memory.Allocation;
import dev.reprise.softgpu.memory.HostMemory;
import dev.reprise.softgpu.ptx.PtxException;
import dev.reprise.softgpu.ptx.PtxModule;
import dev.reprise.softgpu.ptx.PtxType;
import dev.reprise.softgpu.ptx.Space;
import dev.reprise.softgpu.ptx.Variable;
import java.lang.foreign.ValueLayout;
import java.util.LinkedHashMap;
import java.util.Map;

/** Memory of a module's global and constant variables. */
final class ModuleVariables {
  private ModuleVariables() {}

  /** Allocates and initialises; frees what it has allocated when that fails. */
  static Map<String, Allocation> allocate(
      PtxModule module, AddressSpace memory, Map<String, Long> functions) {
    Map<String, Allocation> all = new LinkedHashMap<>();
    try {
      for (Variable v : module.variables()) {
        if (v.space() == Space.SHARED || v.extern() || all.containsKey(v.name())) {
          continue;
        }
        if (v.space() != Space.GLOBAL && v.space() != Space.CONST) {
          throw new PtxException(
              v.line(),
              0,
              "a ." + v.space() + " variable of a module is not supported: " + v.name());
        }
        all.put(
            v.name(),
            memory.allocate(Math.max(1, v.bytes()), v.alignment(), "variable " + v.name()));
      }
      for (Variable v : module.variables()) {
        if (!v.initial().isEmpty()) {
          initialise(v, all, functions);
        }
      }
    } catch (RuntimeException e) {
      free(all, memory);
      throw e;
    }
    return all;
  }

  static void free(Map<String, Allocation> all, AddressSpace memory) {
    for (Allocation a : all.values()) {
      if (a.live()) {
        memory.free(a);
      }
    }
  }

  private static void initialise(
      Variable v, Map<String, Allocation> all, Map<String, Long> functions) {
    Allocation a = all.get(v.name());
    if (a == null) {
      return;
    }
    int bytes = v.type().bytes();
    if ((long) v.initial().size() * bytes > v.bytes()) {
      throw new PtxException(v.line(), 0, v.name() + " has more initial values than elements");
    }
    long at = a.host();
    for (Variable.Initial value : v.initial()) {
      put(at, bytes, bits(v, value, all, functions));
      at += bytes;
    }
  }

  private static long bits(
      Variable v,
      Variable.Initial value,
      Map<String, Allocation> all,
      Map<String, Long> functions) {
    String symbol = value.symbol();
    if (symbol != null) {
      long address = address(v, symbol, all, functions) + value.value();
      return (address & value.mask()) >>> Long.numberOfTrailingZeros(value.mask());
    }
    Double real = value.real();
    if (real != null && v.type() == PtxType.F32) {
      return Float.floatToRawIntBits(real.floatValue()) & 0xffff_ffffL;
    }
    if (real != null && v.type() == PtxType.F16) {
      return Float.floatToFloat16(real.floatValue()) & 0xffff;
    }
    if (real != null && v.type() == PtxType.F64) {
      return Double.doubleToRawLongBits(real);
    }
    return value.value();
  }

  private static long address(
      Variable v, String symbol, Map<String, Allocation> all, Map<String, Long> functions) {
    Long function = functions.get(symbol);
    if (function != null) {
      return function;
    }
    Allocation target = all.get(symbol);
    if (target == null) {
      throw new PtxException(
          v.line(),
          0,
          "unsupported initial value of "
              + v.name()
              + ": "
              + symbol
              + " is no global variable or function");
    }
    return target.base();
  }

  private static void put(long at, int bytes, long bits) {
    switch (bytes) {
      case 1 -> HostMemory.ALL.set(ValueLayout.JAVA_BYTE, at, (byte) bits);
      case 2 -> HostMemory.ALL.set(ValueLayout.JAVA_SHORT_UNALIGNED, at, (short) bits);
      case 4 -> HostMemory.ALL.set(ValueLayout.JAVA_INT_UNALIGNED, at, (int) bits);
      default -> HostMemory.ALL.set(ValueLayout.JAVA_LONG_UNALIGNED, at, bits);
    }
  }
}
