package dev.reprise.softgpu.engine.exec;

import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_void;

import dev.reprise.softgpu.engine.math.LaneVectors;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Generates a class for each form of operations, which loops over the lanes with {@link
 * LaneVectors}. They are called one after the other, so that the JIT compiles each by itself: all
 * of them in one method would be more than it takes. Only to be loaded where the API is there.
 */
final class VectorForms {
  private static final ClassDesc OP = RunCompiler.desc(Op.class);
  private static final MethodTypeDesc RUN =
      MethodTypeDesc.of(CD_void, RunCompiler.warp(), OP, CD_int);
  private static final Map<String, VectorForm> KNOWN = new ConcurrentHashMap<>();

  /** Fields of {@link Op} with the values of the arguments. */
  private static final List<String> FIELDS = List.of("a", "b", "c");

  private VectorForms() {}

  /** The code for an operation, or null where there is none. */
  static @Nullable VectorForm of(Op op) {
    LaneFunction f = op.function;
    if (f == null || f.arguments().size() > FIELDS.size() || !VectorLoop.computes(f, op)) {
      return null;
    }
    StringBuilder form = new StringBuilder(op.resultKind + " " + f.name());
    f.arguments().forEach(a -> form.append(' ').append(a.kind()));
    return KNOWN.computeIfAbsent(form.toString(), x -> generate(op, f));
  }

  /** Whether the Vector API does most of some operations, and not only loads and stores. */
  static boolean suit(Op[] ops) {
    long formed = Arrays.stream(ops).filter(op -> op.guard < 0 && of(op) != null).count();
    long moved = Arrays.stream(ops).filter(VectorForms::moves).count();
    return formed > 0 && 2 * (formed + moved) > ops.length;
  }

  private static boolean moves(Op op) {
    return op instanceof MemoryOp access && access.movesWords();
  }

  private static VectorForm generate(Op op, LaneFunction f) {
    return GeneratedClass.instance(
        "GeneratedForm",
        VectorForm.class,
        c -> c.withMethodBody("run", RUN, ClassFile.ACC_PUBLIC, b -> body(b, op, f)));
  }

  private static void body(CodeBuilder b, Op op, LaneFunction f) {
    GeneratedClass.forItself(b);
    int[] operands = new int[f.arguments().size()];
    for (int n = 0; n < operands.length; n++) {
      operands[n] = operand(b, f.arguments().get(n).kind(), FIELDS.get(n));
    }
    boolean predicate = op.resultKind == RegisterKind.PREDICATE;
    int result = predicate ? b.allocateLocal(TypeKind.INT) : operand(b, op.resultKind, "result");
    if (predicate) {
      b.iconst_0().istore(result);
    }
    int lane = b.allocateLocal(TypeKind.INT);
    Label top = b.newLabel();
    Label end = b.newLabel();
    b.iconst_0().istore(lane);
    b.labelBinding(top);
    b.iload(lane).loadConstant(Warp.LANES).if_icmpge(end);
    if (predicate) {
      b.iload(result);
    }
    for (int n = 0; n < operands.length; n++) {
      VectorLoop.lanes(b, f.arguments().get(n).kind(), operands[n], lane);
    }
    VectorLoop.invoke(b, op, f);
    if (predicate) {
      b.iload(lane);
      VectorLoop.collect(b);
      b.istore(result);
    } else {
      b.aload(result).iload(lane);
      VectorLoop.store(b, op.resultKind);
    }
    b.iinc(lane, LaneVectors.LANES).goto_(top);
    b.labelBinding(end);
    if (predicate) {
      b.aload(1).getfield(RunCompiler.warp(), "p", CD_int.arrayType());
      b.aload(2).getfield(OP, "result", CD_int).iload(result).iload(3);
      b.invokestatic(
          RunCompiler.desc(Interpreter.class),
          "predicate",
          MethodTypeDesc.of(CD_void, CD_int.arrayType(), CD_int, CD_int, CD_int));
    }
    b.return_();
  }

  /** Local variable with the array of a register, with a predicate, or with a constant. */
  private static int operand(CodeBuilder b, @Nullable RegisterKind kind, String field) {
    if (kind == null) {
      int local = b.allocateLocal(TypeKind.INT);
      b.aload(2).getfield(OP, field, CD_int).istore(local);
      return local;
    }
    ClassDesc type = RunCompiler.type(kind);
    boolean predicate = kind == RegisterKind.PREDICATE;
    ClassDesc all = predicate ? CD_int.arrayType() : type.arrayType().arrayType();
    b.aload(1).getfield(RunCompiler.warp(), RunCompiler.registers(kind), all);
    b.aload(2).getfield(OP, field, CD_int);
    if (predicate) {
      int local = b.allocateLocal(TypeKind.INT);
      b.iaload().istore(local);
      return local;
    }
    int local = b.allocateLocal(TypeKind.REFERENCE);
    b.aaload().astore(local);
    return local;
  }
}
