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
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * The code of one {@link LaneLoop}, {@code for (k = 0; k < 32; k += step)}: what is before the loop
 * and after it, and how one lane's values or those of several are kept within.
 */
abstract class LoopCode {
  private static final ClassDesc BLOCK = RunCompiler.desc(Block.class);
  private static final ClassDesc LANES = RunCompiler.desc(Lanes.class);
  private static final ClassDesc RESULTS = RunCompiler.desc(Results.class);

  final Program program;

  /** Local variables: arrays, and masks of predicates. */
  final Map<Register, Integer> arrays = new LinkedHashMap<>();

  /** Local variables: what the registers hold in the current lanes. */
  final Map<Register, Integer> values = new LinkedHashMap<>();

  /** Local variables: results of comparisons, by their predicates. */
  final Map<Integer, Integer> tests = new LinkedHashMap<>();

  /** Local variables with the values of the kernel's parameters. */
  final Map<Op, List<Integer>> parameters = new HashMap<>();

  private final List<Op> ops;
  private final Set<Register> stored;

  /**
   * @param stored registers that must be in their arrays when the loop has ended
   */
  LoopCode(Program program, List<Op> ops, Set<Register> stored) {
    this.program = program;
    this.ops = ops;
    this.stored = stored;
  }

  final void emit(CodeBuilder b) {
    Set<Register> made = new HashSet<>();
    boolean predicates = false;
    for (Op op : ops) {
      LoadOp parameter = LoopLoads.parameter(op, program);
      if (parameter != null) {
        parameter(b, parameter);
      } else if (op instanceof LoadOp load) {
        prepare(b, load);
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
    stored.forEach(r -> {
      if (r.kind() == RegisterKind.PREDICATE) {
        tests.put(r.index(), test(b, tests.size()));
      } else {
        array(b, r);
      }
    });
    if (predicates) {
      preparePredicates(b);
    }
    Map<Register, Integer> results = results(b);
    int lane = b.allocateLocal(TypeKind.INT);
    Label top = b.newLabel();
    Label end = b.newLabel();
    b.iconst_0().istore(lane);
    b.labelBinding(top);
    b.iload(lane).loadConstant(Warp.LANES).if_icmpge(end);
    for (Op op : ops) {
      if (op instanceof LoadOp load) {
        load(b, load, lane);
      } else {
        compute(b, op, lane);
      }
    }
    for (Register r : stored) {
      if (r.kind() == RegisterKind.PREDICATE) {
        storePredicate(b, r, local(tests, r.index()), lane);
      } else {
        store(b, r, local(results, r), lane);
      }
    }
    b.iinc(lane, step()).goto_(top);
    b.labelBinding(end);
    tests.forEach((predicate, test) -> put(b, predicate, test));
    blend(b, results);
    b.return_();
  }

  /** Lanes that are done at once. */
  abstract int step();

  /** What a load needs before the loop. */
  abstract void prepare(CodeBuilder b, LoadOp load);

  /** What predicates as operands need before the loop. */
  void preparePredicates(CodeBuilder b) {}

  /** A local variable that collects a predicate, the {@code n}th of the loop. */
  abstract int test(CodeBuilder b, int n);

  /** Pushes the bits of a predicate that {@link #test} has collected. */
  abstract void tested(CodeBuilder b, int test);

  /** Does a load for the current lanes. */
  abstract void load(CodeBuilder b, LoadOp load, int lane);

  /** Does another operation for the current lanes. */
  abstract void compute(CodeBuilder b, Op op, int lane);

  /** Stores what a register holds in the current lanes into the array in a local variable. */
  abstract void store(CodeBuilder b, Register r, int array, int lane);

  /** Stores what a predicate is in the current lanes. */
  abstract void storePredicate(CodeBuilder b, Register r, int test, int lane);

  /** Local variables with the arrays that the results go to: not the registers' if lanes wait. */
  private Map<Register, Integer> results(CodeBuilder b) {
    Map<Register, Integer> all = new LinkedHashMap<>();
    for (Register r : stored) {
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

  static <K> int local(Map<K, Integer> locals, K key) {
    return Objects.requireNonNull(locals.get(key));
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
    b.getfield(RunCompiler.warp(), RunCompiler.registers(r.kind()), type.arrayType().arrayType())
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

  /** {@code p = (p & ~m) | (test & m)}. */
  private void put(CodeBuilder b, int predicate, int test) {
    b.aload(1).getfield(RunCompiler.warp(), "p", CD_int.arrayType()).loadConstant(predicate);
    b.dup2().iaload();
    b.iload(2).iconst_m1().ixor().iand();
    tested(b, test);
    b.iload(2).iand().ior();
    b.iastore();
  }
}
