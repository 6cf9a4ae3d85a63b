package dev.reprise.softgpu.engine.exec;

import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_long;

import dev.reprise.softgpu.ptx.Space;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The loads that the generated loops of one run do themselves, lane by lane. Addresses are checked
 * once for all loads that use one register, before the first loop that needs it; where the check
 * fails, the loop's operations are called one after the other, which finds out what is wrong.
 */
final class LoopLoads {
  private static final ClassDesc LANES = RunCompiler.desc(Lanes.class);
  private static final ClassDesc MEMORY_OP = RunCompiler.desc(MemoryOp.class);
  private static final ClassDesc BLOCK = RunCompiler.desc(Block.class);

  /** Addresses in one register that belong to one space. */
  record Base(Register register, Space space) {
    static Base of(LoadOp load) {
      return new Base(load.base(), load.space());
    }
  }

  private final Op[] ops;
  private final Program program;

  /**
   * Local variables with what makes addresses native, for registers that have not changed since.
   */
  private final Map<Base, Integer> windows = new HashMap<>();

  LoopLoads(Op[] ops, Program program) {
    this.ops = ops;
    this.program = program;
  }

  /** The load of vectors that an operation is, or null. */
  @Nullable LoadOp vectors(Op op) {
    return op instanceof LoadOp load
            && op.guard < 0
            && load.loadsVectors()
            && program.constant(load.base()) == null
        ? load
        : null;
  }

  /** The load of a kernel parameter that an operation is, or null. */
  @Nullable LoadOp parameter(Op op) {
    if (!(op instanceof LoadOp load)
        || op.guard >= 0
        || !load.loadsParameter()
        || program.constant(load.base()) == null) {
      return null;
    }
    long at = parameterOffset(load);
    boolean fits = at >= 0 && at <= program.parameterBytes() - load.bytes && at % load.bytes == 0;
    return fits ? load : null;
  }

  private long parameterOffset(LoadOp load) {
    Object base = Objects.requireNonNull(program.constant(load.base()));
    long from = base instanceof Integer i ? i & 0xffff_ffffL : (Long) base;
    return from + load.offset();
  }

  /**
   * Local variable with what makes the addresses in a register native, for all loads from operation
   * {@code first} on that find it unchanged. Emits the code to find it out unless that is known.
   */
  int window(CodeBuilder b, Base base, int first) {
    Integer known = windows.get(base);
    if (known != null) {
      return known;
    }
    int user = -1;
    long lo = Long.MAX_VALUE;
    long hi = Long.MIN_VALUE;
    int widest = 1;
    for (int k = first; k < ops.length; k++) {
      LoadOp load = vectors(ops[k]);
      if (load != null && Base.of(load).equals(base)) {
        user = user < 0 ? k : user;
        lo = Math.min(lo, load.offset());
        hi = Math.max(hi, load.offset() + load.bytes);
        widest = Math.max(widest, load.bytes);
      }
      if (changes(ops[k], base.register())) {
        break;
      }
    }
    int local = b.allocateLocal(TypeKind.LONG);
    b.aload(3).loadConstant(user).aaload().checkcast(MEMORY_OP).aload(1).iload(2);
    b.loadConstant(lo).loadConstant(hi).loadConstant(widest - 1);
    b.invokevirtual(
        MEMORY_OP,
        "window",
        MethodTypeDesc.of(CD_long, RunCompiler.desc(Warp.class), CD_int, CD_long, CD_long, CD_int));
    b.lstore(local);
    windows.put(base, local);
    return local;
  }

  private static boolean changes(Op op, Register r) {
    if (op.function != null) {
      return op.resultKind == r.kind() && op.result == r.index();
    }
    return op instanceof LoadOp load ? load.destinations().contains(r) : op.touches.contains(r);
  }

  /** Tells that the code of an operation has been emitted. */
  void passed(Op op) {
    windows.keySet().removeIf(base -> changes(op, base.register()));
  }

  /** Pushes an element of the parameter block. */
  void pushParameter(CodeBuilder b, LoadOp load, Element e, int at) {
    b.aload(1).getfield(RunCompiler.warp(), "block", BLOCK).getfield(BLOCK, "parameters", CD_long);
    b.loadConstant(parameterOffset(load) + at).ladd();
    pushAt(b, e);
  }

  /** Pushes the element whose native address is on the stack. */
  static void pushAt(CodeBuilder b, Element e) {
    ClassDesc type = RunCompiler.type(e.kind());
    if (e.bytes() < 4) {
      b.loadConstant(e.bytes()).loadConstant(e.keep());
      b.invokestatic(LANES, "smallAt", MethodTypeDesc.of(type, CD_long, CD_int, CD_int));
      return;
    }
    String name =
        switch (e.kind()) {
          case INT -> "intAt";
          case FLOAT -> "floatAt";
          case LONG -> "longAt";
          case DOUBLE -> "doubleAt";
          case PREDICATE -> throw new AssertionError(e);
        };
    b.invokestatic(LANES, name, MethodTypeDesc.of(type, CD_long));
  }
}
