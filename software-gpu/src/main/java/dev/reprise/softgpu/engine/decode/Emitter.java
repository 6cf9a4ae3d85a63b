package dev.reprise.softgpu.engine.decode;

import static dev.reprise.softgpu.engine.exec.LaneFunction.f;
import static dev.reprise.softgpu.engine.exec.LaneFunction.i;
import static dev.reprise.softgpu.engine.exec.LaneFunction.l;

import dev.reprise.softgpu.engine.exec.DoubleOp;
import dev.reprise.softgpu.engine.exec.FloatOp;
import dev.reprise.softgpu.engine.exec.IntOp;
import dev.reprise.softgpu.engine.exec.LongOp;
import dev.reprise.softgpu.engine.exec.Op;
import dev.reprise.softgpu.engine.exec.PredicateOp;
import dev.reprise.softgpu.engine.exec.Program.Special;
import dev.reprise.softgpu.engine.exec.RegisterKind;
import dev.reprise.softgpu.engine.math.DoubleLanes;
import dev.reprise.softgpu.engine.math.FloatLanes;
import dev.reprise.softgpu.engine.math.IntLanes;
import dev.reprise.softgpu.engine.math.LongLanes;
import dev.reprise.softgpu.ptx.Operand;
import dev.reprise.softgpu.ptx.PtxException;
import dev.reprise.softgpu.ptx.PtxType;
import dev.reprise.softgpu.ptx.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Collects operations, and turns operands into array numbers of the class that an instruction
 * wants. A register of another class is copied into a temporary before the instruction, or out of
 * one after it.
 */
final class Emitter {
  final RegisterFile registers = new RegisterFile();
  private final List<Op> code = new ArrayList<>();
  private final List<Op> after = new ArrayList<>();
  private int line;
  private int column;
  private String text = "";
  private int guard = -1;
  private boolean negated;

  /** Whether the instruction that was begun has no operation yet. */
  private boolean fresh;

  private Scope scope = new Scope(null, false);
  private int framePointer = -1;

  /** Starts an instruction. */
  void begin(int ptxLine, int ptxColumn, String form, Statement.@Nullable Guard on, Scope names) {
    line = ptxLine;
    column = ptxColumn;
    text = form;
    scope = names;
    // The end that is added to a kernel is no instruction of the text.
    fresh = ptxColumn > 0;
    registers.begin();
    guard = -1;
    negated = false;
    if (on != null) {
      guard = predicate(new Operand.Name(on.predicate(), 0));
      negated = on.negated();
    }
  }

  /** The frame pointer: long array with where the frame of a lane starts in local memory. */
  int framePointer() {
    if (framePointer < 0) {
      framePointer = registers.allocate(RegisterKind.LONG);
    }
    return registers.touch(RegisterKind.LONG, framePointer);
  }

  /** Long array with the address of a variable in its space. */
  private int addressOf(Place p, long offset) {
    int constant = registers.constant(p.address + offset);
    if (!p.relative) {
      return constant;
    }
    int frame = framePointer();
    int temp = temporary(RegisterKind.LONG);
    emit(new LongOp(temp, (w, d) -> LongLanes.add(d, w.l[frame], w.l[constant])));
    return temp;
  }

  void emit(Op op) {
    op.touches(registers.touched(), fresh ? registers.touchedOnce() : Set.of());
    op.leads(fresh);
    fresh = false;
    code.add(op.at(line, text, guard, negated));
  }

  /** Ends an instruction: results that lie in temporaries go where they belong. */
  void end() {
    for (Op op : after) {
      emit(op);
    }
    after.clear();
  }

  int pc() {
    return code.size();
  }

  Op[] code() {
    return code.toArray(new Op[0]);
  }

  Scope scope() {
    return scope;
  }

  PtxException error(String message) {
    return new PtxException(line, column, text + ": " + message);
  }

  int temporary(RegisterKind kind) {
    return registers.allocate(kind);
  }

  Symbol symbol(Operand.Name name) {
    Symbol s = scope.find(name.text());
    if (s == null) {
      throw error("unknown name " + name.text());
    }
    return s;
  }

  @Nullable VirtualRegister register(Operand o) {
    return o instanceof Operand.Name n && scope.find(n.text()) instanceof VirtualRegister r
        ? r
        : null;
  }

  /** The operand, which must be a register that holds that many bytes of bits. */
  Operand bits(Operand o, int bytes, String what) {
    VirtualRegister r = register(o);
    if (r == null || r.type.bytes() != bytes || r.type == PtxType.F32) {
      throw error("expected a register of .b" + 8 * bytes + " " + what + " but found " + o);
    }
    return o;
  }

  /** The register of 128 bits that an operand names. */
  VirtualRegister wide(Operand o) {
    VirtualRegister r = register(o);
    if (r == null || r.high == null) {
      throw error("expected a register of 128 bits but found " + o);
    }
    return r;
  }

  /** Long array with the lower or the upper half of a register of 128 bits. */
  int half(VirtualRegister r, boolean high) {
    return registers.indexOf(high ? java.util.Objects.requireNonNull(r.high) : r);
  }

  /** Predicate number of an operand. */
  int predicate(Operand o) {
    VirtualRegister r = register(o);
    if (r == null || r.kind != RegisterKind.PREDICATE) {
      throw error("expected a predicate but found " + o);
    }
    return registers.indexOf(r);
  }

  /**
   * Int array that holds the operand as that type. 16-bit values lie zero-extended, or
   * sign-extended where the type is signed.
   */
  int ints(Operand o, PtxType t) {
    if (o instanceof Operand.IntImmediate i) {
      return registers.constant(narrow((int) i.value(), t));
    }
    if (o instanceof Operand.FloatImmediate f) {
      return registers.constant(
          switch (t) {
            case F16 -> Float.floatToFloat16((float) f.value()) & 0xffff;
            default -> Float.floatToRawIntBits((float) f.value());
          });
    }
    VirtualRegister r = register(o);
    if (r == null) {
      return otherInts(o);
    }
    if (r.constant != null && r.kind == RegisterKind.INT) {
      return registers.constant(
          narrow(
              r.constant.intValue(),
              r.type.bytes() == 2 && t.bytes() != 1 ? t == PtxType.S16 ? t : PtxType.B16 : t));
    }
    int index = registers.indexOf(r);
    int temp;
    switch (r.kind) {
      case INT -> {
        if (t == PtxType.S16 || t == PtxType.S8 || t == PtxType.U8 || t == PtxType.B8) {
          temp = temporary(RegisterKind.INT);
          emit(
              new IntOp(
                  temp,
                  switch (t) {
                    case S16 ->
                        IntOp.describe(
                            (w, d) -> IntLanes.signed16(d, w.i[index]), "signed16", i(index));
                    case S8 ->
                        IntOp.describe(
                            (w, d) -> IntLanes.signed8(d, w.i[index]), "signed8", i(index));
                    default ->
                        IntOp.describe((w, d) -> IntLanes.low8(d, w.i[index]), "low8", i(index));
                  }));
          return temp;
        }
        if (t.bytes() == 2 && r.type.bytes() > 2) {
          temp = temporary(RegisterKind.INT);
          emit(
              new IntOp(
                  temp,
                  IntOp.describe((w, d) -> IntLanes.low16(d, w.i[index]), "low16", i(index))));
          return temp;
        }
        return index;
      }
      case FLOAT -> {
        temp = temporary(RegisterKind.INT);
        emit(new IntOp(temp, bitsOf(r)));
        return temp;
      }
      case LONG -> {
        temp = temporary(RegisterKind.INT);
        emit(
            new IntOp(
                temp, IntOp.describe((w, d) -> LongLanes.low(d, w.l[index]), "low", l(index))));
        return temp;
      }
      default -> throw error("operand " + o + " has the wrong type");
    }
  }

  /** The bits of a single-precision register as they leave it. */
  IntOp.Eval bitsOf(VirtualRegister r) {
    int index = registers.indexOf(r);
    return r.raw
        ? IntOp.describe((w, d) -> FloatLanes.toBits(d, w.f[index]), "toBits", f(index))
        : IntOp.describe(
            (w, d) -> FloatLanes.toCanonicalBits(d, w.f[index]), "toCanonicalBits", f(index));
  }

  private int otherInts(Operand o) {
    if (!(o instanceof Operand.Name name)) {
      throw error("operand " + o + " is not supported here");
    }
    Special special = SpecialRegisters.of(name.text());
    if (special != null) {
      return registers.special(special);
    }
    Integer fixed = SpecialRegisters.constant(name.text());
    if (fixed != null) {
      return registers.constant((int) fixed);
    }
    if (SpecialRegisters.isClock(name.text())) {
      int temp = temporary(RegisterKind.INT);
      String clock = name.text();
      emit(
          new IntOp(
              temp,
              (w, d) -> {
                w.poll();
                Arrays.fill(d, (int) SpecialRegisters.read(clock));
              }));
      return temp;
    }
    if (name.text().startsWith("%") && scope.find(name.text()) == null) {
      throw error("unsupported special register " + name.text());
    }
    if (symbol(name) instanceof Place p) {
      if (!p.relative) {
        return registers.constant((int) (p.address + name.offset()));
      }
      int wide = addressOf(p, name.offset());
      int temp = temporary(RegisterKind.INT);
      emit(new IntOp(temp, (w, d) -> LongLanes.low(d, w.l[wide])));
      return temp;
    }
    throw error("operand " + o + " is not supported here");
  }

  private static int narrow(int v, PtxType t) {
    return switch (t) {
      case S16 -> (short) v;
      case S8 -> (byte) v;
      default -> t.bytes() == 1 ? v & 0xff : t.bytes() == 2 ? v & 0xffff : v;
    };
  }

  int floats(Operand o) {
    if (o instanceof Operand.FloatImmediate f) {
      return registers.constant((float) f.value());
    }
    VirtualRegister r = register(o);
    if (r == null) {
      throw error("operand " + o + " is no single-precision value");
    }
    int index = registers.indexOf(r);
    if (r.kind == RegisterKind.FLOAT) {
      return index;
    }
    if (r.kind != RegisterKind.INT) {
      throw error("operand " + o + " has the wrong type");
    }
    int temp = temporary(RegisterKind.FLOAT);
    emit(
        new FloatOp(
            temp,
            FloatOp.describe((w, d) -> FloatLanes.ofBits(d, w.i[index]), "ofBits", i(index))));
    return temp;
  }

  int longs(Operand o, PtxType t) {
    if (o instanceof Operand.IntImmediate i) {
      return registers.constant(i.value());
    }
    if (o instanceof Operand.FloatImmediate f) {
      return registers.constant(Double.doubleToRawLongBits(f.value()));
    }
    VirtualRegister r = register(o);
    int temp = -1;
    if (r == null) {
      if (o instanceof Operand.Name name && SpecialRegisters.isClock(name.text())) {
        temp = temporary(RegisterKind.LONG);
        String clock = name.text();
        emit(
            new LongOp(
                temp,
                (w, d) -> {
                  w.poll();
                  Arrays.fill(d, SpecialRegisters.read(clock));
                }));
        return temp;
      }
      if (o instanceof Operand.Name name && scope.find(name.text()) instanceof Place p) {
        return addressOf(p, name.offset());
      }
      if (o instanceof Operand.Name name && scope.find(name.text()) instanceof CodeAddress c) {
        return registers.constant(c.address() + name.offset());
      }
      int index = ints(o, PtxType.B32);
      temp = temporary(RegisterKind.LONG);
      emit(
          new LongOp(
              temp,
              LongOp.describe((w, d) -> LongLanes.extendU(d, w.i[index]), "extendU", i(index))));
      return temp;
    }
    if (r.constant != null && r.kind == RegisterKind.LONG) {
      return registers.constant((long) r.constant);
    }
    int index = registers.indexOf(r);
    switch (r.kind) {
      case LONG -> {
        return index;
      }
      case DOUBLE -> {
        temp = temporary(RegisterKind.LONG);
        emit(new LongOp(temp, (w, d) -> DoubleLanes.toBits(d, w.d[index])));
        return temp;
      }
      case INT -> {
        int from = ints(o, t);
        temp = temporary(RegisterKind.LONG);
        emit(
            new LongOp(
                temp,
                t.signed()
                    ? LongOp.describe((w, d) -> LongLanes.extendS(d, w.i[from]), "extendS", i(from))
                    : LongOp.describe(
                        (w, d) -> LongLanes.extendU(d, w.i[from]), "extendU", i(from))));
        return temp;
      }
      default -> throw error("operand " + o + " has the wrong type");
    }
  }

  int doubles(Operand o) {
    if (o instanceof Operand.FloatImmediate f) {
      return registers.constant(f.value());
    }
    VirtualRegister r = register(o);
    if (r == null) {
      throw error("operand " + o + " is no double-precision value");
    }
    int index = registers.indexOf(r);
    if (r.kind == RegisterKind.DOUBLE) {
      return index;
    }
    if (r.kind != RegisterKind.LONG) {
      throw error("operand " + o + " has the wrong type");
    }
    int temp = temporary(RegisterKind.DOUBLE);
    emit(new DoubleOp(temp, (w, d) -> DoubleLanes.ofBits(d, w.l[index])));
    return temp;
  }

  private static boolean sink(Operand o) {
    return o instanceof Operand.Name n && n.sink();
  }

  private VirtualRegister destination(Operand o) {
    VirtualRegister r = register(o);
    if (r == null) {
      throw error("expected a register as destination but found " + o);
    }
    return r;
  }

  /** Emits the computation of an int result of that type. */
  void toInt(Operand o, PtxType t, IntOp.Eval eval) {
    emit(new IntOp(intDestination(o, t), eval));
    end();
  }

  /** As {@link #toInt}, for a result that has no bits beyond 16 where the register has 16. */
  void toFittingInt(Operand o, PtxType t, IntOp.Eval eval) {
    emit(new IntOp(intDestination(o, t, true), eval));
    end();
  }

  /** Int array to put a result of that type into; {@link #end} brings it into the register. */
  int intDestination(Operand o, PtxType t) {
    return intDestination(o, t, false);
  }

  /**
   * @param fits whether the result has no bits beyond 16 where the register has 16
   */
  int intDestination(Operand o, PtxType t, boolean fits) {
    if (sink(o)) {
      return temporary(RegisterKind.INT);
    }
    VirtualRegister r = destination(o);
    int index = registers.indexOf(r);
    switch (r.kind) {
      case INT -> {
        if (r.type.bytes() == 2 && !fits) {
          after.add(
              new IntOp(
                  index,
                  IntOp.describe((w, d) -> IntLanes.low16(d, w.i[index]), "low16", i(index))));
        }
        return index;
      }
      case FLOAT -> {
        int temp = temporary(RegisterKind.INT);
        after.add(
            new FloatOp(
                index,
                FloatOp.describe((w, d) -> FloatLanes.ofBits(d, w.i[temp]), "ofBits", i(temp))));
        return temp;
      }
      case LONG -> {
        int temp = temporary(RegisterKind.INT);
        after.add(
            new LongOp(
                index,
                t.signed()
                    ? LongOp.describe((w, d) -> LongLanes.extendS(d, w.i[temp]), "extendS", i(temp))
                    : LongOp.describe(
                        (w, d) -> LongLanes.extendU(d, w.i[temp]), "extendU", i(temp))));
        return temp;
      }
      default -> throw error("destination " + o + " has the wrong type");
    }
  }

  /** Emits a copy of single-precision values, bits and all. */
  void moveToFloat(Operand o, FloatOp.Eval eval) {
    emit(new FloatOp(floatDestination(o, false), eval));
    end();
  }

  /** Emits single-precision arithmetic. */
  void toFloat(Operand o, FloatOp.Eval eval) {
    emit(new FloatOp(floatDestination(o, true), eval));
    end();
  }

  /**
   * Float array to put a result into.
   *
   * @param arithmetic whether a NaN in it must become the canonical one
   */
  int floatDestination(Operand o, boolean arithmetic) {
    if (sink(o)) {
      return temporary(RegisterKind.FLOAT);
    }
    VirtualRegister r = destination(o);
    int index = registers.indexOf(r);
    if (r.kind == RegisterKind.FLOAT) {
      if (arithmetic && r.raw) {
        after.add(
            new FloatOp(
                index,
                FloatOp.describe(
                    (w, d) -> FloatLanes.canonical(d, w.f[index]), "canonical", f(index))));
      }
      return index;
    }
    if (r.kind != RegisterKind.INT || r.type.bytes() != 4) {
      throw error("destination " + o + " has the wrong type");
    }
    int temp = temporary(RegisterKind.FLOAT);
    after.add(
        new IntOp(
            index,
            arithmetic
                ? IntOp.describe(
                    (w, d) -> FloatLanes.toCanonicalBits(d, w.f[temp]), "toCanonicalBits", f(temp))
                : IntOp.describe((w, d) -> FloatLanes.toBits(d, w.f[temp]), "toBits", f(temp))));
    return temp;
  }

  void toLong(Operand o, LongOp.Eval eval) {
    emit(new LongOp(longDestination(o), eval));
    end();
  }

  int longDestination(Operand o) {
    if (sink(o)) {
      return temporary(RegisterKind.LONG);
    }
    VirtualRegister r = destination(o);
    int index = registers.indexOf(r);
    if (r.kind == RegisterKind.LONG) {
      return index;
    }
    if (r.kind != RegisterKind.DOUBLE) {
      throw error("destination " + o + " has the wrong type");
    }
    int temp = temporary(RegisterKind.LONG);
    after.add(new DoubleOp(index, (w, d) -> DoubleLanes.ofBits(d, w.l[temp])));
    return temp;
  }

  void toDouble(Operand o, DoubleOp.Eval eval) {
    emit(new DoubleOp(doubleDestination(o), eval));
    end();
  }

  int doubleDestination(Operand o) {
    if (sink(o)) {
      return temporary(RegisterKind.DOUBLE);
    }
    VirtualRegister r = destination(o);
    int index = registers.indexOf(r);
    if (r.kind == RegisterKind.DOUBLE) {
      return index;
    }
    if (r.kind != RegisterKind.LONG) {
      throw error("destination " + o + " has the wrong type");
    }
    int temp = temporary(RegisterKind.DOUBLE);
    after.add(new LongOp(index, (w, d) -> DoubleLanes.toBits(d, w.d[temp])));
    return temp;
  }

  void toPredicate(Operand o, PredicateOp.Eval eval) {
    if (!sink(o)) {
      emit(new PredicateOp(predicate(o), eval));
    }
  }
}
