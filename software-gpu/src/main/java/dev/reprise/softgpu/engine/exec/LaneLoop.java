package dev.reprise.softgpu.engine.exec;

import static java.lang.constant.ConstantDescs.CD_int;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

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

  private final Program program;
  private final Set<Register> own;
  private final Predicate<Register> neededAfter;
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
   * @param own registers whose values end with the run
   * @param neededAfter whether a written register must be in its array when the loop has ended;
   *     asked by {@link #emit}
   */
  LaneLoop(Program program, Set<Register> own, Predicate<Register> neededAfter) {
    this.program = program;
    this.own = own;
    this.neededAfter = neededAfter;
  }

  private static LaneFunction function(Op op) {
    return Objects.requireNonNull(op.function);
  }

  /** Adds an operation if the loop can hold it. */
  boolean add(Op op) {
    Set<Register> more = new HashSet<>(used);
    for (LaneFunction.Argument a : function(op).arguments()) {
      if (a.kind() != null && a.kind() != RegisterKind.PREDICATE) {
        Register r = new Register(a.kind(), a.value());
        if (!written.contains(r) && constant(r) == null) {
          more.add(r);
        }
      }
    }
    if (op.resultKind == RegisterKind.PREDICATE
        || !own.contains(new Register(op.resultKind, op.result))) {
      more.add(new Register(op.resultKind, op.result));
    }
    if (more.size() > MOST_ARRAYS && !ops.isEmpty()) {
      return false;
    }
    used = more;
    ops.add(op);
    written.add(new Register(op.resultKind, op.result));
    return true;
  }

  /** The value of an array that holds a constant, or null. */
  private @Nullable Object constant(Register r) {
    return switch (r.kind()) {
      case INT -> first(program.ints()[r.index()]);
      case FLOAT -> first(program.floats()[r.index()]);
      case LONG -> first(program.longs()[r.index()]);
      case DOUBLE -> first(program.doubles()[r.index()]);
      case PREDICATE -> null;
    };
  }

  private static @Nullable Object first(@Nullable Object array) {
    return array == null ? null : Array.get(array, 0);
  }

  void emit(CodeBuilder b) {
    written.removeIf(r -> !neededAfter.test(r));
    Set<Register> made = new HashSet<>();
    boolean predicates = false;
    for (Op op : ops) {
      for (LaneFunction.Argument a : function(op).arguments()) {
        if (a.kind() != null) {
          Register r = new Register(a.kind(), a.value());
          predicates |= r.kind() == RegisterKind.PREDICATE;
          if (!made.contains(r) && constant(r) == null) {
            array(b, r);
          }
        }
      }
      made.add(new Register(op.resultKind, op.result));
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

  private void operation(CodeBuilder b, Op op, int lane) {
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
    switch (constant(r)) {
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
