package dev.reprise.softgpu.engine.exec;

import static java.lang.constant.ConstantDescs.CD_boolean;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_long;

import dev.reprise.softgpu.ptx.Space;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The loads that one generated loop does itself. What they find is copied together before the loop
 * ({@link Gathered}), which also checks the addresses; where that fails, the loop's operations are
 * called one after the other, which finds out what is wrong.
 */
final class LoopLoads {
  private static final ClassDesc MEMORY_OP = RunCompiler.desc(MemoryOp.class);
  private static final ClassDesc REGISTER_KIND = RunCompiler.desc(RegisterKind.class);

  /**
   * Addresses in one register that belong to one space, and what is loaded by them.
   *
   * @param kind of the elements
   */
  record Base(Register register, Space space, RegisterKind kind) {
    static Base of(LoadOp load) {
      return new Base(load.base(), load.space(), load.elements()[0].kind());
    }
  }

  /**
   * The part of memory that the loop's loads by one register need.
   *
   * @param user one of them
   * @param lo first byte beyond the address
   * @param hi end of the last one
   * @param widest bytes of the widest of the loads
   */
  private record Part(LoadOp user, long lo, long hi, int widest) {
    Part and(LoadOp load) {
      return new Part(
          user,
          Math.min(lo, load.offset()),
          Math.max(hi, load.offset() + load.bytes),
          Math.max(widest, load.bytes));
    }
  }

  private final Program program;
  private final Map<Base, Part> parts = new LinkedHashMap<>();

  LoopLoads(Program program) {
    this.program = program;
  }

  /** Whether the loop loads vectors, which keeps the JIT from making vector code of it. */
  boolean any() {
    return !parts.isEmpty();
  }

  /** The load of vectors that an operation is, or null. */
  @Nullable LoadOp vectors(Op op) {
    if (!(op instanceof LoadOp load)
        || op.guard >= 0
        || !load.loadsVectors()
        || program.constant(load.base()) != null) {
      return null;
    }
    RegisterKind kind = load.elements()[0].kind();
    return List.of(load.elements()).stream().allMatch(e -> e.kind() == kind) ? load : null;
  }

  /** The load of a kernel parameter that an operation is, or null. */
  static @Nullable LoadOp parameter(Op op, Program program) {
    if (!(op instanceof LoadOp load)
        || op.guard >= 0
        || !load.loadsParameter()
        || program.constant(load.base()) == null) {
      return null;
    }
    long at = parameterOffset(load, program);
    boolean fits = at >= 0 && at <= program.parameterBytes() - load.bytes && at % load.bytes == 0;
    return fits ? load : null;
  }

  static long parameterOffset(LoadOp load, Program program) {
    Object base = Objects.requireNonNull(program.constant(load.base()));
    long from = base instanceof Integer i ? i & 0xffff_ffffL : (Long) base;
    return from + load.offset();
  }

  /** Adds a load of vectors if the loop can do it beside the others. */
  boolean add(LoadOp load) {
    Base base = Base.of(load);
    Part known = parts.get(base);
    Part part =
        known != null
            ? known.and(load)
            : new Part(load, load.offset(), load.offset() + load.bytes, load.bytes);
    if (part.hi - part.lo > Gathered.LONGEST
        || known == null && parts.size() == Gathered.MOST_BASES) {
      return false;
    }
    parts.put(base, part);
    return true;
  }

  /** Number of the place of a load's addresses in {@link Gathered#at}. */
  int slot(LoadOp load) {
    return List.copyOf(parts.keySet()).indexOf(Base.of(load));
  }

  /** Where an element lies, counted from the place of the load's address in elements. */
  int element(LoadOp load, Element e, int at) {
    long lo = Objects.requireNonNull(parts.get(Base.of(load))).lo;
    return (int) ((load.offset() + at - lo) / e.bytes());
  }

  /**
   * Copies what the loads find.
   *
   * @param failed where to go if that may not be
   */
  void gather(CodeBuilder b, List<Op> ops, Label failed) {
    int slot = 0;
    for (Map.Entry<Base, Part> e : parts.entrySet()) {
      Part p = e.getValue();
      b.aload(3).loadConstant(ops.indexOf(p.user)).aaload().checkcast(MEMORY_OP);
      b.aload(1).iload(2).loadConstant(p.lo).loadConstant(p.hi).loadConstant(p.widest - 1);
      b.getstatic(REGISTER_KIND, e.getKey().kind.name(), REGISTER_KIND).loadConstant(slot++);
      b.invokevirtual(
          MEMORY_OP,
          "gather",
          MethodTypeDesc.of(
              CD_boolean,
              RunCompiler.warp(),
              CD_int,
              CD_long,
              CD_long,
              CD_int,
              REGISTER_KIND,
              CD_int));
      b.ifeq(failed);
    }
  }
}
