package dev.reprise.softgpu.engine.exec;

import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_void;

import dev.reprise.softgpu.engine.math.FloatLaneVectors;
import dev.reprise.softgpu.engine.math.LaneVectors;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorMask;
import org.jspecify.annotations.Nullable;

/**
 * A loop that does {@link LaneVectors#LANES} lanes at a time with the Vector API: no lane is done
 * alone before and after, as the JIT's own vector code does. Predicates are masks. Only to be
 * loaded where the API is there.
 */
final class VectorLoop extends LoopCode {
  private static final ClassDesc VECTORS = RunCompiler.desc(LaneVectors.class);

  private static final Map<String, ClassDesc> FUNCTIONS =
      LaneFunction.methods(LaneVectors.class, FloatLaneVectors.class);

  VectorLoop(Program program, List<Op> ops, Set<Register> stored) {
    super(program, ops, stored);
  }

  /** Whether it can hold an operation without a guard that does not load. */
  static boolean computes(Op op, Program program) {
    if (op instanceof ShuffleOp shuffle) {
      int distance = shuffle.exchange(program);
      return distance > 0 && distance <= LaneVectors.FARTHEST;
    }
    LaneFunction f = op.function;
    return f != null && computes(f, op);
  }

  /** Whether there is a method for what an operation computes in a lane. */
  static boolean computes(LaneFunction f, Op op) {
    return FUNCTIONS.containsKey(f.name() + function(op, f));
  }

  private static MethodTypeDesc function(Op op, LaneFunction f) {
    return MethodTypeDesc.of(
        type(op.resultKind),
        f.arguments().stream().map(a -> a.kind() == null ? CD_int : type(a.kind())).toList());
  }

  private static ClassDesc type(RegisterKind kind) {
    return RunCompiler.desc(
        switch (kind) {
          case INT -> IntVector.class;
          case FLOAT -> FloatVector.class;
          case LONG -> LongVector.class;
          case DOUBLE -> DoubleVector.class;
          case PREDICATE -> VectorMask.class;
        });
  }

  @Override
  int step() {
    return LaneVectors.LANES;
  }

  @Override
  int test(CodeBuilder b, int n) {
    int local = b.allocateLocal(TypeKind.INT);
    b.iconst_0().istore(local);
    return local;
  }

  @Override
  void tested(CodeBuilder b, int test) {
    b.iload(test);
  }

  @Override
  void storePredicate(CodeBuilder b, Register r, int test, int lane) {
    b.iload(test).aload(local(values, r)).iload(lane);
    collect(b);
    b.istore(test);
  }

  @Override
  void store(CodeBuilder b, Register r, int array, int lane) {
    b.aload(local(values, r)).aload(array).iload(lane);
    store(b, r.kind());
  }

  /** Adds the lanes of a mask to the bits of a predicate. */
  static void collect(CodeBuilder b) {
    call(b, "collect", CD_int, CD_int, type(RegisterKind.PREDICATE), CD_int);
  }

  /** Stores a vector into an array from a lane on. */
  static void store(CodeBuilder b, RegisterKind kind) {
    call(b, "store", CD_void, type(kind), RunCompiler.type(kind).arrayType(), CD_int);
  }

  /** Pushes lanes of what a local variable holds: an array, a predicate or a constant. */
  static void lanes(CodeBuilder b, @Nullable RegisterKind kind, int local, int lane) {
    if (kind == null) {
      b.iload(local);
      return;
    }
    boolean predicate = kind == RegisterKind.PREDICATE;
    ClassDesc array = RunCompiler.type(kind).arrayType();
    b.loadLocal(predicate ? TypeKind.INT : TypeKind.REFERENCE, local).iload(lane);
    call(b, predicate ? "mask" : "load", type(kind), predicate ? CD_int : array, CD_int);
  }

  /** Replaces the operands of an operation by its result. */
  static void invoke(CodeBuilder b, Op op, LaneFunction f) {
    MethodTypeDesc type = function(op, f);
    ClassDesc owner = Objects.requireNonNull(FUNCTIONS.get(f.name() + type));
    b.invokestatic(owner, f.name(), type);
  }

  private static void call(CodeBuilder b, String name, ClassDesc result, ClassDesc... types) {
    b.invokestatic(VECTORS, name, MethodTypeDesc.of(result, types));
  }

  @Override
  void prepare(CodeBuilder b, LoadOp load) {
    throw new AssertionError(load);
  }

  @Override
  void load(CodeBuilder b, LoadOp load, int lane) {
    List<Integer> known = Objects.requireNonNull(parameters.get(load));
    Element[] elements = load.elements();
    for (int n = 0; n < elements.length; n++) {
      Element e = elements[n];
      if (e.register() >= 0) {
        ClassDesc scalar = RunCompiler.type(e.kind());
        b.loadLocal(TypeKind.from(scalar), known.get(n));
        call(b, "all", type(e.kind()), scalar);
        b.astore(value(b, new Register(e.kind(), e.register())));
      }
    }
  }

  @Override
  void compute(CodeBuilder b, Op op, int lane) {
    if (op instanceof ShuffleOp shuffle) {
      push(b, new Register(RegisterKind.INT, shuffle.from()), lane);
      b.loadConstant(shuffle.exchange(program));
      call(b, "exchange", type(RegisterKind.INT), type(RegisterKind.INT), CD_int);
      b.astore(value(b, new Register(RegisterKind.INT, shuffle.to())));
      return;
    }
    LaneFunction f = Objects.requireNonNull(op.function);
    for (LaneFunction.Argument a : f.arguments()) {
      if (a.kind() == null) {
        b.loadConstant(a.value());
      } else {
        push(b, new Register(a.kind(), a.value()), lane);
      }
    }
    invoke(b, op, f);
    b.astore(value(b, new Register(op.resultKind, op.result)));
  }

  private int value(CodeBuilder b, Register r) {
    return values.computeIfAbsent(r, x -> b.allocateLocal(TypeKind.REFERENCE));
  }

  /** Pushes what a register holds in the current lanes, from its array the first time. */
  private void push(CodeBuilder b, Register r, int lane) {
    Integer known = values.get(r);
    if (known != null) {
      b.aload(known);
      return;
    }
    Object constant = program.constant(r);
    if (constant != null) {
      b.loadConstant((ConstantDesc) constant);
      call(b, "all", type(r.kind()), RunCompiler.type(r.kind()));
      return;
    }
    lanes(b, r.kind(), local(arrays, r), lane);
    int local = value(b, r);
    b.astore(local).aload(local);
  }
}
