package dev.reprise.softgpu.engine.exec;

import static java.lang.constant.ConstantDescs.CD_int;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * One generated loop over the lanes of a warp, {@code for (k = 0; k < 32; k++)}, with operations in
 * its body. Values pass between them in local variables; only those that are needed later go into
 * their arrays.
 */
final class LaneLoop {
  /**
   * Arrays in one loop: the JIT keeps the address of each in a processor register, and there are
   * 16.
   */
  private static final int MOST_ARRAYS = 10;

  /** In scalar code the JIT may keep some in memory. */
  private static final int MOST_ARRAYS_OF_SCALAR = 16;

  /** Operations in one loop: more would not fit the vector registers. */
  private static final int LONGEST = 24;

  private static final int LONGEST_SCALAR = 96;

  /** Local variable of the first parameter after the warp and the mask. */
  private static final int FIRST_WINDOW = 3;

  private final Program program;
  private final LoopLoads loads;
  private final List<Op> ops = new ArrayList<>();
  private final Set<Register> written = new LinkedHashSet<>();
  private Set<Register> used = new HashSet<>();

  /**
   * Local variables: arrays, masks of predicates, the current lane's values, results of
   * comparisons.
   */
  private final Map<Register, Integer> arrays = new LinkedHashMap<>();

  private final Map<Register, Integer> values = new LinkedHashMap<>();
  private final Map<Integer, Integer> tests = new LinkedHashMap<>();

  /** Local variable of {@link Warp#LANE_BITS}. */
  private int bits;

  /**
   * Native addresses of the current lane, whose registers the loop does not write before the last
   * load, and parameters of the kernel.
   */
  private final Map<LoopLoads.Base, Integer> addresses = new HashMap<>();

  private final Map<Op, List<Integer>> parameters = new HashMap<>();

  /** What it loads vectors by, which keeps the JIT from making vector code of it. */
  private final Set<LoopLoads.Base> bases = new LinkedHashSet<>();

  LaneLoop(Program program, LoopLoads loads) {
    this.program = program;
    this.loads = loads;
  }

  /**
   * The registers with the addresses of vectors that it loads. For each, the method has a long
   * parameter with what makes them native, after the warp and the mask.
   */
  Set<LoopLoads.Base> bases() {
    return bases;
  }

  private boolean scalar() {
    return !bases.isEmpty();
  }

  private static LaneFunction function(Op op) {
    return Objects.requireNonNull(op.function);
  }

  /**
   * Adds an operation if the loop can hold it.
   *
   * @param wanted which registers have a value after the operation that may be read later
   */
  boolean add(Op op, Predicate<Register> wanted) {
    LoadOp vectors = loads.vectors(op);
    boolean parameter = loads.parameter(op) != null;
    if (vectors == null && !parameter && (op.function == null || op.guard >= 0)) {
      return false;
    }
    // The address must be known before the loop begins.
    if (vectors != null && (written.contains(vectors.base()) || !scalar() && !ops.isEmpty())) {
      return false;
    }
    Set<Register> read = new HashSet<>(used);
    for (Register r :
        vectors != null ? vectors.sources() : parameter ? Set.<Register>of() : op.reads()) {
      if (r.kind() != RegisterKind.PREDICATE
          && !written.contains(r)
          && program.constant(r) == null) {
        read.add(r);
      }
    }
    Set<Register> results = op.overwrites();
    long stored =
        Stream.concat(written.stream(), results.stream())
            .distinct()
            .filter(r -> !read.contains(r) && wanted.test(r))
            .count();
    boolean toBeScalar = scalar() || vectors != null;
    int most = toBeScalar ? MOST_ARRAYS_OF_SCALAR : MOST_ARRAYS;
    int longest = toBeScalar ? LONGEST_SCALAR : LONGEST;
    if (!ops.isEmpty() && (ops.size() >= longest || read.size() + stored > most)) {
      return false;
    }
    if (vectors != null) {
      bases.add(LoopLoads.Base.of(vectors));
    }
    used = read;
    ops.add(op);
    written.addAll(results);
    return true;
  }

  /**
   * @param wanted which registers must be in their arrays when the loop has ended
   */
  void emit(CodeBuilder b, Predicate<Register> wanted) {
    written.removeIf(r -> !wanted.test(r));
    Set<Register> made = new HashSet<>();
    boolean predicates = false;
    for (Op op : ops) {
      LoadOp parameter = loads.parameter(op);
      if (parameter != null) {
        parameter(b, parameter);
      } else {
        for (Register r : op instanceof LoadOp load ? load.sources() : op.reads()) {
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
      int array = r.kind() == RegisterKind.PREDICATE ? local(tests, r.index()) : local(arrays, r);
      b.aload(array).iload(lane).loadLocal(type, local(values, r)).arrayStore(type);
    }
    b.iinc(lane, 1).goto_(top);
    b.labelBinding(end);
    tests.forEach((predicate, test) -> store(b, predicate, test));
    b.return_();
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
    int at = 0;
    for (Element e : load.elements()) {
      TypeKind type = TypeKind.from(RunCompiler.type(e.kind()));
      int local = b.allocateLocal(type);
      loads.pushParameter(b, load, e, at);
      b.storeLocal(type, local);
      locals.add(local);
      at += e.bytes();
    }
    parameters.put(load, locals);
  }

  private void operation(CodeBuilder b, Op op, int lane) {
    if (op instanceof LoadOp load) {
      load(b, load, lane);
    } else {
      compute(b, op, lane);
    }
  }

  private void load(CodeBuilder b, LoadOp load, int lane) {
    List<Integer> known = parameters.get(load);
    int address = known == null ? address(b, load, lane) : -1;
    int at = 0;
    int n = 0;
    for (Element e : load.elements()) {
      TypeKind type = TypeKind.from(RunCompiler.type(e.kind()));
      if (e.register() >= 0) {
        if (known != null) {
          b.loadLocal(type, known.get(n));
        } else {
          b.lload(address).loadConstant(load.offset() + at).ladd();
          LoopLoads.pushAt(b, e);
        }
        Register r = new Register(e.kind(), e.register());
        b.storeLocal(type, values.computeIfAbsent(r, x -> b.allocateLocal(type)));
      }
      at += e.bytes();
      n++;
    }
  }

  private int windowOf(LoopLoads.Base base) {
    return FIRST_WINDOW + 2 * List.copyOf(bases).indexOf(base);
  }

  /** Local variable with the native address that the register of a load stands for. */
  private int address(CodeBuilder b, LoadOp load, int lane) {
    return addresses.computeIfAbsent(
        LoopLoads.Base.of(load),
        base -> {
          value(b, base.register(), lane);
          if (base.register().kind() == RegisterKind.INT) {
            b.i2l().loadConstant(0xffff_ffffL).land();
          }
          int local = b.allocateLocal(TypeKind.LONG);
          b.lload(windowOf(base)).ladd().lstore(local);
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
