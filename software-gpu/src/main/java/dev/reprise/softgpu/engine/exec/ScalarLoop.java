package dev.reprise.softgpu.engine.exec;

import static java.lang.constant.ConstantDescs.CD_int;

import dev.reprise.softgpu.engine.math.LaneScalars;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** A loop that does one lane at a time; where it does not load, the JIT makes vector code of it. */
final class ScalarLoop extends LoopCode {
  private static final ClassDesc GATHERED = RunCompiler.desc(Gathered.class);

  private static final Map<String, ClassDesc> FUNCTIONS = LaneFunction.methods(LaneScalars.class);

  private final LoopLoads loads;

  /** Local variable of {@link Warp#LANE_BITS}. */
  private int bits;

  /** Local variables: what is loaded, by its kind, and where it is found. */
  private final Map<RegisterKind, Integer> gathered = new EnumMap<>(RegisterKind.class);

  private int places;

  /** Local variables with the places of the current lane. */
  private final Map<Integer, Integer> placesOfLane = new HashMap<>();

  ScalarLoop(Program program, List<Op> ops, Set<Register> stored, LoopLoads loads) {
    super(program, ops, stored);
    this.loads = loads;
  }

  /** Whether there is a method for what an operation computes in a lane. */
  static boolean computes(LaneFunction f, Op op) {
    return FUNCTIONS.containsKey(f.name() + function(op, f));
  }

  private static MethodTypeDesc function(Op op, LaneFunction f) {
    return MethodTypeDesc.of(
        RunCompiler.type(op.resultKind),
        f.arguments().stream()
            .map(a -> a.kind() == null ? CD_int : RunCompiler.type(a.kind()))
            .toList());
  }

  @Override
  int step() {
    return 1;
  }

  @Override
  void preparePredicates(CodeBuilder b) {
    bits = b.allocateLocal(TypeKind.REFERENCE);
    b.getstatic(RunCompiler.warp(), "LANE_BITS", CD_int.arrayType()).astore(bits);
  }

  @Override
  int test(CodeBuilder b, int n) {
    int local = b.allocateLocal(TypeKind.REFERENCE);
    b.aload(1)
        .getfield(RunCompiler.warp(), "tests", CD_int.arrayType().arrayType())
        .loadConstant(n)
        .aaload()
        .astore(local);
    return local;
  }

  @Override
  void tested(CodeBuilder b, int test) {
    b.aload(test)
        .invokestatic(RunCompiler.warp(), "pack", MethodTypeDesc.of(CD_int, CD_int.arrayType()));
  }

  @Override
  void store(CodeBuilder b, Register r, int array, int lane) {
    TypeKind type = TypeKind.from(RunCompiler.type(r.kind()));
    b.aload(array).iload(lane).loadLocal(type, local(values, r)).arrayStore(type);
  }

  @Override
  void storePredicate(CodeBuilder b, Register r, int test, int lane) {
    store(b, r, test, lane);
  }

  @Override
  void prepare(CodeBuilder b, LoadOp load) {
    if (gathered.isEmpty()) {
      places = b.allocateLocal(TypeKind.REFERENCE);
      b.aload(1).getfield(RunCompiler.warp(), "gathered", GATHERED);
      b.getfield(GATHERED, "at", CD_int.arrayType()).astore(places);
    }
    gathered.computeIfAbsent(
        LoopLoads.Base.of(load).kind(),
        kind -> {
          int local = b.allocateLocal(TypeKind.REFERENCE);
          ClassDesc type = RunCompiler.type(kind);
          b.aload(1).getfield(RunCompiler.warp(), "gathered", GATHERED);
          b.getfield(GATHERED, type.displayName() + "s", type.arrayType()).astore(local);
          return local;
        });
  }

  @Override
  void load(CodeBuilder b, LoadOp load, int lane) {
    List<Integer> known = parameters.get(load);
    int place = known == null ? place(b, load, lane) : -1;
    int at = 0;
    int n = 0;
    for (Element e : load.elements()) {
      TypeKind type = TypeKind.from(RunCompiler.type(e.kind()));
      if (e.register() >= 0) {
        if (known != null) {
          b.loadLocal(type, known.get(n));
        } else {
          b.aload(local(gathered, e.kind())).iload(place);
          b.loadConstant(loads.element(load, e, at)).iadd().arrayLoad(type);
        }
        Register r = new Register(e.kind(), e.register());
        b.storeLocal(type, values.computeIfAbsent(r, x -> b.allocateLocal(type)));
      }
      at += e.bytes();
      n++;
    }
  }

  /** Local variable with the place of what a load finds for the lane. */
  private int place(CodeBuilder b, LoadOp load, int lane) {
    return placesOfLane.computeIfAbsent(
        loads.slot(load),
        slot -> {
          int local = b.allocateLocal(TypeKind.INT);
          b.aload(places).iload(lane).loadConstant(slot * Warp.LANES).iadd().iaload().istore(local);
          return local;
        });
  }

  @Override
  void compute(CodeBuilder b, Op op, int lane) {
    LaneFunction f = Objects.requireNonNull(op.function);
    for (LaneFunction.Argument a : f.arguments()) {
      if (a.kind() == null) {
        b.loadConstant(a.value());
      } else if (a.kind() == RegisterKind.PREDICATE) {
        predicate(b, new Register(a.kind(), a.value()), lane);
      } else {
        value(b, new Register(a.kind(), a.value()), lane);
      }
    }
    b.invokestatic(RunCompiler.scalars(), f.name(), function(op, f));
    Register r = new Register(op.resultKind, op.result);
    TypeKind type = TypeKind.from(RunCompiler.type(op.resultKind));
    b.storeLocal(type, values.computeIfAbsent(r, x -> b.allocateLocal(type)));
  }

  /** Pushes all ones or 0, from the bit of the lane the first time. */
  private void predicate(CodeBuilder b, Register r, int lane) {
    Integer known = values.get(r);
    if (known != null) {
      b.iload(known);
      return;
    }
    int local = b.allocateLocal(TypeKind.INT);
    values.put(r, local);
    b.iload(local(arrays, r)).aload(bits).iload(lane).iaload().iand();
    b.invokestatic(RunCompiler.scalars(), "spread", MethodTypeDesc.of(CD_int, CD_int));
    b.dup().istore(local);
  }

  /** Pushes the lane's value, from its array the first time. */
  private void value(CodeBuilder b, Register r, int lane) {
    TypeKind type = TypeKind.from(RunCompiler.type(r.kind()));
    Integer known = values.get(r);
    if (known != null) {
      b.loadLocal(type, known);
      return;
    }
    switch (program.constant(r)) {
      case Integer v -> b.loadConstant((int) v);
      case Float v -> b.loadConstant((float) v);
      case Long v -> b.loadConstant((long) v);
      case Double v -> b.loadConstant((double) v);
      case null, default -> {
        int local = b.allocateLocal(type);
        values.put(r, local);
        b.aload(local(arrays, r))
            .iload(lane)
            .arrayLoad(type)
            .storeLocal(type, local)
            .loadLocal(type, local);
      }
    }
  }
}
