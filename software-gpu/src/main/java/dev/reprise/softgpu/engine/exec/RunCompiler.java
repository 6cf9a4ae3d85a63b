package dev.reprise.softgpu.engine.exec;

import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_double;
import static java.lang.constant.ConstantDescs.CD_float;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_long;
import static java.lang.constant.ConstantDescs.CD_void;

import dev.reprise.softgpu.engine.math.LaneScalars;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandles;
import java.util.Set;

/**
 * Generates the code of a run: neighbouring operations that say what they compute become one loop
 * over the lanes, in which values pass from one to the next in local variables and which the JIT
 * turns into vector code; the others are called.
 */
final class RunCompiler {
  /** Operations in one loop: more would not fit the vector registers. */
  private static final int LONGEST_LOOP = 24;

  private static final ClassDesc WARP = desc(Warp.class);
  private static final ClassDesc OP = desc(Op.class);
  private static final MethodTypeDesc RUN =
      MethodTypeDesc.of(CD_void, WARP, CD_int, OP.arrayType());

  private final Op[] ops;
  private final Set<Register> own;
  private final Program program;

  /** The loop being emitted. */
  private int first;

  private int last;

  /**
   * @param own registers that need no value in their array when the run has ended
   */
  RunCompiler(Op[] ops, Set<Register> own, Program program) {
    this.ops = ops;
    this.own = own;
    this.program = program;
  }

  private static ClassDesc desc(Class<?> c) {
    return c.describeConstable().orElseThrow();
  }

  CompiledRun compile() {
    ClassDesc name = ClassDesc.of(RunCompiler.class.getPackageName(), "GeneratedRun");
    byte[] bytes =
        ClassFile.of()
            .build(
                name,
                c -> {
                  c.withInterfaceSymbols(desc(CompiledRun.class));
                  c.withMethodBody(
                      "<init>",
                      MethodTypeDesc.of(CD_void),
                      ClassFile.ACC_PUBLIC,
                      b ->
                          b.aload(0)
                              .invokespecial(CD_Object, "<init>", MethodTypeDesc.of(CD_void))
                              .return_());
                  c.withMethodBody("run", RUN, ClassFile.ACC_PUBLIC, this::body);
                });
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup().defineHiddenClass(bytes, true);
      return (CompiledRun) lookup.lookupClass().getDeclaredConstructor().newInstance();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("generated code cannot be loaded", e);
    }
  }

  private void body(CodeBuilder b) {
    int at = 0;
    while (at < ops.length) {
      LaneLoop loop = new LaneLoop(program, own, this::neededAfter);
      int end = at;
      while (end < ops.length && end - at < LONGEST_LOOP && fuses(ops[end]) && loop.add(ops[end])) {
        end++;
      }
      if (end - at >= 2) {
        first = at;
        last = end;
        loop.emit(b);
        at = end;
      } else {
        call(b, ops[at], at);
        at++;
      }
    }
    b.return_();
  }

  /**
   * Whether an operation outside the loop from {@code first} to {@code last} may want the value of
   * a register that the loop has written.
   */
  private boolean neededAfter(Register r) {
    if (!own.contains(r)) {
      return true;
    }
    for (int k = 0; k < ops.length; k++) {
      if ((k < first || k >= last) && ops[k].touches.contains(r)) {
        return true;
      }
    }
    return false;
  }

  private static boolean fuses(Op op) {
    return op.function != null && op.guard < 0;
  }

  private static void call(CodeBuilder b, Op op, int at) {
    b.aload(3).loadConstant(at).aaload();
    if (op.guard >= 0) {
      b.aload(1)
          .iload(2)
          .invokestatic(
              desc(StraightRun.class), "guarded", MethodTypeDesc.of(CD_void, OP, WARP, CD_int));
    } else {
      b.aload(1).iload(2).invokevirtual(OP, "run", MethodTypeDesc.of(CD_void, WARP, CD_int));
    }
  }

  static ClassDesc type(RegisterKind kind) {
    return switch (kind) {
      case INT, PREDICATE -> CD_int;
      case FLOAT -> CD_float;
      case LONG -> CD_long;
      case DOUBLE -> CD_double;
    };
  }

  static ClassDesc scalars() {
    return desc(LaneScalars.class);
  }

  static ClassDesc warp() {
    return WARP;
  }
}
