package dev.reprise.softgpu.engine.exec;

import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_long;
import static java.lang.constant.ConstantDescs.CD_void;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;

/**
 * One generated loop over the lanes of a warp, {@code for (k = 0; k < 32; k++)}, with operations in
 * its body. Values pass between them in local variables; only those that are needed later go into
 * their arrays.
 */
final class LaneLoop {
  private static final ClassDesc LANES = RunCompiler.desc(Lanes.class);
  private static final ClassDesc BLOCK = RunCompiler.desc(Block.class);
  private static final ClassDesc RESULTS = RunCompiler.desc(Results.class);
  private static final ClassDesc GATHERED = RunCompiler.desc(Gathered.class);

  /**
   * Arrays in one loop: the JIT keeps the address of each in a processor register, and there are
   * 16.
   */
  private static final int MOST_ARRAYS = 10;

  /** In scalar code the JIT may keep some in memory. */
  private static final int MOST_ARRAYS_OF_SCALAR = Results.MOST;

  /** Operations in one loop: more would not fit the vector registers. */
  private static final int LONGEST = 24;

  private static final int LONGEST_SCALAR = 96;

  private final Program program;
  private final LoopLoads loads;
  private final List<Op> ops = new ArrayList<>();
  private final Set<Register> written = new LinkedHashSet<>();
  private final Set<Register> read = new HashSet<>();

  /**
   * Local variables: arrays, masks of predicates, the current lane's values, results of
   * comparisons.
   */
  private final Map<Register, Integer> arrays = new LinkedHashMap<>();

  private final Map<Register, Integer> values = new LinkedHashMap<>();
  private final Map<Integer, Integer> tests = new LinkedHashMap<>();

  /** Local variable of {@link Warp#LANE_BITS}. */
  private int bits;

  /** Local variables with the values of the kernel's parameters. */
  private final Map<Op, List<Integer>> parameters = new HashMap<>();

  /** Local variables: what is loaded, by its kind, and where it is found. */
  private final Map<RegisterKind, Integer> gathered = new EnumMap<>(RegisterKind.class);

  private int places;

  /** Local variables with the places of the current lane. */
  private final Map<Integer, Integer> placesOfLane = new HashMap<>();

  LaneLoop(Program program) {
    this.program = program;
    loads = new LoopLoads(program);
  }

  /** What it loads, which is to be copied before it begins. */
  LoopLoads loads() {
    return loads;
  }

  private boolean scalar() {
    return loads.any();
  }

  private static LaneFunction function(Op op) {
    return Objects.requireNonNull(op.function);
  }

  /** Adds an operation if the loop can hold it, wherever the loop ends. */
  boolean add(Op op) {
    LoadOp vectors = loads.vectors(op);
    boolean parameter = LoopLoads.parameter(op, program) != null;
    if (vectors == null && !parameter && (op.function == null || op.guard >= 0)) {
      return false;
    }
    // The address must be known before the loop begins.
    if (vectors != null && (written.contains(vectors.base()) || !scalar() && !ops.isEmpty())) {
      return false;
    }
    if (ops.size() >= (scalar() ? LONGEST_SCALAR : LONGEST)) {
      return false;
    }
    if (vectors != null && !loads.add(vectors)) {
      return false;
    }
    for (Register r : op instanceof LoadOp ? Set.<Register>of() : op.reads()) {
      if (r.kind() != RegisterKind.PREDICATE
          && !written.contains(r)
          && program.constant(r) == null) {
        read.add(r);
      }
    }
    ops.add(op);
    written.addAll(op.overwrites());
    return true;
  }

  /**
   * Whether the loop can end where it is.
   *
   * @param wanted which registers have a value then that may be read later
   */
  boolean fits(Predicate<Register> wanted) {
    long stored = written.stream().filter(r -> !read.contains(r) && wanted.test(r)).count();
    return read.size() + stored <= (scalar() ? MOST_ARRAYS_OF_SCALAR : MOST_ARRAYS);
  }

  /**
   * @param wanted which registers must be in their arrays when the loop has ended
   */
  void emit(CodeBuilder b, Predicate<Register> wanted) {
    written.removeIf(r -> !wanted.test(r));
    Set<Register> made = new HashSet<>();
    boolean predicates = false;
    for (Op op : ops) {
      LoadOp parameter = LoopLoads.parameter(op, program);
      if (parameter != null) {
        parameter(b, parameter);
      } else if (op instanceof LoadOp load) {
        gathered(b, load);
      } else {
        for (Register r : op.reads()) {
          predicates |= r.kind() == RegisterKind.PREDICATE;
          if (!made.contains(r) && program.constant(r) == null) {
            array(b, r);
          }
        }
      }
      made.addAll(op.overwrites());
    }
    written.forEach(r -> {
      if (r.kind() == RegisterKind.PREDICATE) {
        test(b, r.index());
      } else {
        array(b, r);
      }
    });
    if (predicates) {
      bits = b.allocateLocal(TypeKind.REFERENCE);
      b.getstatic(RunCompiler.warp(), "LANE_BITS", CD_int.arrayType()).astore(bits);
    }
    Map<Register, Integer> results = results(b);
    int lane = b.allocateLocal(TypeKind.INT);
    Label top = b.newLabel();
    Label end = b.newLabel();
    b.iconst_0().istore(lane);
    b.labelBinding(top);
    b.iload(lane).loadConstant(Warp.LANES).if_icmpge(end);
    for (Op op : ops) {
      operation(b, op, lane);
    }
    for (Register r : written) {
      TypeKind type = TypeKind.from(RunCompiler.type(r.kind()));
      int array = r.kind() == RegisterKind.PREDICATE ? local(tests, r.index()) : local(results, r);
      b.aload(array).iload(lane).loadLocal(type, local(values, r)).arrayStore(type);
    }
    b.iinc(lane, 1).goto_(top);
    b.labelBinding(end);
    tests.forEach((predicate, test) -> store(b, predicate, test));
    blend(b, results);
    b.return_();
  }

  /** Local variables with the arrays that the results go to: not the registers' if lanes wait. */
  private Map<Register, Integer> results(CodeBuilder b) {
    Map<Register, Integer> all = new LinkedHashMap<>();
    for (Register r : written) {
      if (r.kind() != RegisterKind.PREDICATE) {
        ClassDesc array = RunCompiler.type(r.kind()).arrayType();
        int local = b.allocateLocal(TypeKind.REFERENCE);
        b.aload(1).aload(local(arrays, r)).iload(2).loadConstant(all.size());
        b.invokestatic(
            RESULTS, "of", MethodTypeDesc.of(array, RunCompiler.warp(), array, CD_int, CD_int));
        b.astore(local);
        all.put(r, local);
      }
    }
    return all;
  }

  /** Puts the results of the active lanes into the registers if they are not there. */
  private void blend(CodeBuilder b, Map<Register, Integer> results) {
    Label end = b.newLabel();
    b.iload(2).aload(1).getfield(RunCompiler.warp(), "live", CD_int).if_icmpeq(end);
    results.forEach((r, local) -> {
      ClassDesc array = RunCompiler.type(r.kind()).arrayType();
      b.aload(local).aload(local(arrays, r)).iload(2);
      b.invokestatic(RESULTS, "blend", MethodTypeDesc.of(CD_void, array, array, CD_int));
    });
    b.labelBinding(end);
  }

  private static <K> int local(Map<K, Integer> locals, K key) {
    return Objects.requireNonNull(locals.get(key));
  }

  /** The array that collects a predicate lane by lane. */
  private void test(CodeBuilder b, int predicate) {
    int local = b.allocateLocal(TypeKind.REFERENCE);
    b.aload(1)
        .getfield(RunCompiler.warp(), "tests", CD_int.arrayType().arrayType())
        .loadConstant(tests.size())
        .aaload()
        .astore(local);
    tests.put(predicate, local);
  }

  private void array(CodeBuilder b, Register r) {
    if (arrays.containsKey(r)) {
      return;
    }
    b.aload(1);
    ClassDesc type = RunCompiler.type(r.kind());
    if (r.kind() == RegisterKind.PREDICATE) {
      int local = b.allocateLocal(TypeKind.INT);
      b.getfield(RunCompiler.warp(), "p", CD_int.arrayType())
          .loadConstant(r.index())
          .iaload()
          .istore(local);
      arrays.put(r, local);
      return;
    }
    int local = b.allocateLocal(TypeKind.REFERENCE);
    String field =
        switch (r.kind()) {
          case INT -> "i";
          case FLOAT -> "f";
          case LONG -> "l";
          default -> "d";
        };
    b.getfield(RunCompiler.warp(), field, type.arrayType().arrayType())
        .loadConstant(r.index())
        .aaload()
        .astore(local);
    arrays.put(r, local);
  }

  /** Loads the elements of a parameter into local variables. */
  private void parameter(CodeBuilder b, LoadOp load) {
    List<Integer> locals = new ArrayList<>();
    long at = LoopLoads.parameterOffset(load, program);
    for (Element e : load.elements()) {
      TypeKind type = TypeKind.from(RunCompiler.type(e.kind()));
      int local = b.allocateLocal(type);
      b.aload(1)
          .getfield(RunCompiler.warp(), "block", BLOCK)
          .getfield(BLOCK, "parameters", CD_long);
      b.loadConstant(at).ladd();
      element(b, e);
      b.storeLocal(type, local);
      locals.add(local);
      at += e.bytes();
    }
    parameters.put(load, locals);
  }

  /** Replaces the native address on the stack by the element there. */
  private static void element(CodeBuilder b, Element e) {
    ClassDesc type = RunCompiler.type(e.kind());
    if (e.bytes() < 4) {
      b.loadConstant(e.bytes()).loadConstant(e.keep());
      b.invokestatic(LANES, "smallAt", MethodTypeDesc.of(type, CD_long, CD_int, CD_int));
    } else {
      String name = type.displayName() + "At";
      b.invokestatic(LANES, name, MethodTypeDesc.of(type, CD_long));
    }
  }

  /** Loads the arrays with what a load finds into local variables. */
  private void gathered(CodeBuilder b, LoadOp load) {
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

  private void operation(CodeBuilder b, Op op, int lane) {
    if (!(op instanceof LoadOp load)) {
      compute(b, op, lane);
      return;
    }
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

  private void compute(CodeBuilder b, Op op, int lane) {
    List<ClassDesc> types = new ArrayList<>();
    for (LaneFunction.Argument a : function(op).arguments()) {
      if (a.kind() == null) {
        b.loadConstant(a.value());
        types.add(CD_int);
      } else if (a.kind() == RegisterKind.PREDICATE) {
        predicate(b, new Register(a.kind(), a.value()), lane);
        types.add(CD_int);
      } else {
        value(b, new Register(a.kind(), a.value()), lane);
        types.add(RunCompiler.type(a.kind()));
      }
    }
    ClassDesc result = RunCompiler.type(op.resultKind);
    b.invokestatic(RunCompiler.scalars(), function(op).name(), MethodTypeDesc.of(result, types));
    Register r = new Register(op.resultKind, op.result);
    TypeKind type = TypeKind.from(result);
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

  /** {@code p = (p & ~m) | (test & m)}. */
  private static void store(CodeBuilder b, int predicate, int test) {
    b.aload(1).getfield(RunCompiler.warp(), "p", CD_int.arrayType()).loadConstant(predicate);
    b.dup2().iaload();
    b.iload(2).iconst_m1().ixor().iand();
    b.aload(test)
        .invokestatic(RunCompiler.warp(), "pack", MethodTypeDesc.of(CD_int, CD_int.arrayType()));
    b.iload(2).iand().ior();
    b.iastore();
  }
}
