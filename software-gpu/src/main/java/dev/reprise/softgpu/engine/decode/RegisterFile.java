package dev.reprise.softgpu.engine.decode;

import dev.reprise.softgpu.engine.exec.DataFlow;
import dev.reprise.softgpu.engine.exec.Op;
import dev.reprise.softgpu.engine.exec.Program;
import dev.reprise.softgpu.engine.exec.Program.Special;
import dev.reprise.softgpu.engine.exec.Program.SpecialSlot;
import dev.reprise.softgpu.engine.exec.Register;
import dev.reprise.softgpu.engine.exec.RegisterKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Hands out the arrays of a program: registers, temporaries, constants and special registers. */
final class RegisterFile {
  private static final int LANES = 32;

  private final List<int @Nullable []> ints = new ArrayList<>();
  private final List<float @Nullable []> floats = new ArrayList<>();
  private final List<long @Nullable []> longs = new ArrayList<>();
  private final List<double @Nullable []> doubles = new ArrayList<>();
  private int predicates;

  /** Registers and temporaries handed out for the current instruction. */
  private final Set<Register> touched = new HashSet<>();

  /** Those that were asked for again. */
  private final Set<Register> again = new HashSet<>();

  private final Map<Integer, Integer> intConstants = new HashMap<>();
  private final Map<Integer, Integer> floatConstants = new HashMap<>();
  private final Map<Long, Integer> longConstants = new HashMap<>();
  private final Map<Long, Integer> doubleConstants = new HashMap<>();
  private final Map<Special, Integer> specials = new EnumMap<>(Special.class);

  /** Forgets which registers were touched: an instruction begins. */
  void begin() {
    touched.clear();
    again.clear();
  }

  private void note(Register r) {
    if (!touched.add(r)) {
      again.add(r);
    }
  }

  /** Registers and temporaries that the instruction has asked for so far. */
  Set<Register> touched() {
    return Set.copyOf(touched);
  }

  /** Those of them that it has asked for once. */
  Set<Register> touchedOnce() {
    Set<Register> once = new HashSet<>(touched);
    once.removeAll(again);
    return once;
  }

  int allocate(RegisterKind kind) {
    int index = create(kind);
    note(new Register(kind, index));
    return index;
  }

  private int create(RegisterKind kind) {
    return switch (kind) {
      case INT -> add(ints, null);
      case FLOAT -> add(floats, null);
      case LONG -> add(longs, null);
      case DOUBLE -> add(doubles, null);
      case PREDICATE -> predicates++;
    };
  }

  private static <T> int add(List<@Nullable T> list, @Nullable T value) {
    list.add(value);
    return list.size() - 1;
  }

  int indexOf(VirtualRegister r) {
    if (r.index < 0) {
      r.index = create(r.kind);
    }
    note(new Register(r.kind, r.index));
    return r.index;
  }

  int constant(int v) {
    return intConstants.computeIfAbsent(
        v,
        x -> {
          int[] a = new int[LANES];
          Arrays.fill(a, x);
          return add(ints, a);
        });
  }

  /** The value of an int array that holds a constant, or null. */
  @Nullable Integer constantOf(int index) {
    int[] a = ints.get(index);
    return a == null ? null : a[0];
  }

  int constant(float v) {
    return floatConstants.computeIfAbsent(
        Float.floatToRawIntBits(v),
        x -> {
          float[] a = new float[LANES];
          Arrays.fill(a, v);
          return add(floats, a);
        });
  }

  int constant(long v) {
    return longConstants.computeIfAbsent(
        v,
        x -> {
          long[] a = new long[LANES];
          Arrays.fill(a, x);
          return add(longs, a);
        });
  }

  int constant(double v) {
    return doubleConstants.computeIfAbsent(
        Double.doubleToRawLongBits(v),
        x -> {
          double[] a = new double[LANES];
          Arrays.fill(a, v);
          return add(doubles, a);
        });
  }

  int special(Special s) {
    return specials.computeIfAbsent(s, x -> add(ints, null));
  }

  /** Marks a register as touched by the instruction. */
  int touch(RegisterKind kind, int index) {
    note(new Register(kind, index));
    return index;
  }

  /** How many arrays there are of each class. */
  record Mark(int ints, int floats, int longs, int doubles, int predicates) {}

  Mark mark() {
    return new Mark(ints.size(), floats.size(), longs.size(), doubles.size(), predicates);
  }

  /** Registers and temporaries that have been handed out since. */
  List<Register> since(Mark m) {
    List<Register> all = new ArrayList<>();
    for (int k = m.ints; k < ints.size(); k++) {
      if (ints.get(k) == null && !specials.containsValue(k)) {
        all.add(new Register(RegisterKind.INT, k));
      }
    }
    for (int k = m.floats; k < floats.size(); k++) {
      if (floats.get(k) == null) {
        all.add(new Register(RegisterKind.FLOAT, k));
      }
    }
    for (int k = m.longs; k < longs.size(); k++) {
      if (longs.get(k) == null) {
        all.add(new Register(RegisterKind.LONG, k));
      }
    }
    for (int k = m.doubles; k < doubles.size(); k++) {
      if (doubles.get(k) == null) {
        all.add(new Register(RegisterKind.DOUBLE, k));
      }
    }
    for (int k = m.predicates; k < predicates; k++) {
      all.add(new Register(RegisterKind.PREDICATE, k));
    }
    return all;
  }

  /** The finished program. */
  Program program(
      String name,
      Op[] code,
      DataFlow flow,
      int parameterBytes,
      int sharedBytes,
      int localBytes,
      boolean stack,
      Map<Integer, String> sources) {
    List<SpecialSlot> slots = new ArrayList<>();
    specials.forEach((s, index) -> slots.add(new SpecialSlot(index, s)));
    return new Program(
        name,
        code,
        ints.toArray(new int[0][]),
        floats.toArray(new float[0][]),
        longs.toArray(new long[0][]),
        doubles.toArray(new double[0][]),
        flow,
        predicates,
        slots,
        parameterBytes,
        sharedBytes,
        localBytes,
        stack,
        sources);
  }

  /** 32-bit registers that the arrays without constants stand for. */
  int registers() {
    int n = 0;
    for (int[] a : ints) {
      n += a == null ? 1 : 0;
    }
    for (float[] a : floats) {
      n += a == null ? 1 : 0;
    }
    for (long[] a : longs) {
      n += a == null ? 2 : 0;
    }
    for (double[] a : doubles) {
      n += a == null ? 2 : 0;
    }
    return n - specials.size();
  }
}
