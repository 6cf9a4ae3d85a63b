package dev.reprise.softgpu.engine.exec;

import static java.lang.constant.ConstantDescs.CD_double;
import static java.lang.constant.ConstantDescs.CD_float;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_long;
import static java.lang.constant.ConstantDescs.CD_void;

import dev.reprise.softgpu.engine.math.LaneScalars;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Generates the code of a run: neighbouring operations that say what they compute, and loads,
 * become one loop over the lanes, in which values pass from one to the next in local variables; the
 * others are called. The loops use the Vector API where it is there. Elsewhere those that load
 * vectors become scalar code, the others vector code of the JIT.
 */
final class RunCompiler {
  private static final ClassDesc WARP = desc(Warp.class);
  private static final ClassDesc OP = desc(Op.class);
  private static final MethodTypeDesc LOOP = MethodTypeDesc.of(CD_void, WARP, CD_int);
  private static final MethodTypeDesc RUN =
      MethodTypeDesc.of(CD_void, WARP, CD_int, OP.arrayType());

  private final Op[] ops;
  private final Liveness.@Nullable After after;
  private final Program program;
  private final boolean vectors;
  private final List<Piece> pieces;

  /**
   * Operations that are done together.
   *
   * @param loop null for a single one that is called
   */
  private record Piece(int from, int to, @Nullable LaneLoop loop) {
    /**
     * Each loop is a method of its own: the JIT does not compile methods of more than 8,000 bytes.
     */
    String name() {
      return "loop" + from;
    }
  }

  /**
   * @param after what is wanted after each operation; null where that is not known
   * @param vectors whether to use the Vector API
   */
  RunCompiler(Op[] ops, Liveness.@Nullable After after, Program program, boolean vectors) {
    this.ops = ops;
    this.after = after;
    this.program = program;
    this.vectors = vectors;
    pieces = cut();
  }

  static ClassDesc desc(Class<?> c) {
    return c.describeConstable().orElseThrow();
  }

  CompiledRun compile() {
    String name = "GeneratedRun";
    return GeneratedClass.instance(
        name,
        CompiledRun.class,
        c -> {
          c.withMethodBody(
              "run", RUN, ClassFile.ACC_PUBLIC, b -> body(b, GeneratedClass.desc(name)));
          for (Piece p : pieces) {
            if (p.loop != null) {
              c.withMethodBody(p.name(), LOOP, ClassFile.ACC_FINAL, b -> loop(b, p, p.loop));
            }
          }
        });
  }

  private void loop(CodeBuilder b, Piece p, LaneLoop loop) {
    if (vectors) {
      GeneratedClass.forItself(b);
    }
    loop.emit(b, wantedAfter(p.to - 1));
  }

  /** Cuts the run into loops and operations that are called. */
  private List<Piece> cut() {
    List<Piece> all = new ArrayList<>();
    int at = 0;
    while (at < ops.length) {
      int end = end(at);
      // The Vector API is faster than the operation's own loop, even for one.
      if (end - at < (vectors ? 1 : 2)) {
        end = at + 1;
        all.add(new Piece(at, end, null));
      } else {
        LaneLoop loop = new LaneLoop(program, vectors);
        for (int k = at; k < end; k++) {
          loop.add(ops[k]);
        }
        all.add(new Piece(at, end, loop));
      }
      at = end;
    }
    return all;
  }

  /**
   * Where a loop ends that begins at an operation: what it computes only for itself needs no array,
   * so that a longer one may fit where a shorter one does not.
   */
  private int end(int at) {
    LaneLoop loop = new LaneLoop(program, vectors);
    int fitting = at;
    for (int k = at; k < ops.length && loop.add(ops[k]); k++) {
      if (loop.fits(wantedAfter(k))) {
        fitting = k + 1;
      }
    }
    return fitting;
  }

  private void body(CodeBuilder b, ClassDesc self) {
    RunAccesses accesses = new RunAccesses(vectors ? ops : new Op[0], program);
    for (Piece p : pieces) {
      if (p.loop == null && accesses.slot(ops[p.from]) >= 0) {
        access(b, ops[p.from], p.from, accesses);
      } else if (p.loop == null) {
        call(b, ops[p.from], p.from);
      } else if (p.loop.loads().any()) {
        loading(b, self, p, p.loop.loads());
      } else {
        b.aload(0).aload(1).iload(2).invokevirtual(self, p.name(), LOOP);
      }
    }
    b.return_();
  }

  /**
   * Loads or stores by the Vector API, after a look at all accesses by the register if it is the
   * first.
   */
  private static void access(CodeBuilder b, Op op, int at, RunAccesses accesses) {
    ClassDesc type = desc(MemoryOp.class);
    RunAccesses.Part first = accesses.first(op);
    if (first != null) {
      b.aload(3).loadConstant(at).aaload().checkcast(type).aload(1).iload(2);
      b.loadConstant(first.lo()).loadConstant(first.hi()).loadConstant(first.slot());
      b.invokevirtual(
          type, "find", MethodTypeDesc.of(CD_void, WARP, CD_int, CD_long, CD_long, CD_int));
    }
    b.aload(3).loadConstant(at).aaload().checkcast(type).aload(1).iload(2);
    b.loadConstant(accesses.slot(op));
    b.invokevirtual(type, "runBeside", MethodTypeDesc.of(CD_void, WARP, CD_int, CD_int));
  }

  /** A loop that loads, and calls of its operations for where that may not be. */
  private void loading(CodeBuilder b, ClassDesc self, Piece p, LoopLoads loads) {
    Label failed = b.newLabel();
    Label end = b.newLabel();
    loads.gather(b, List.of(ops), failed);
    b.aload(0).aload(1).iload(2).invokevirtual(self, p.name(), LOOP);
    b.goto_(end);
    b.labelBinding(failed);
    for (int k = p.from; k < p.to; k++) {
      call(b, ops[k], k);
    }
    b.labelBinding(end);
  }

  /** The registers whose values, as they are after an operation, may be read later. */
  private Predicate<Register> wantedAfter(int operation) {
    return r -> after == null || after.wants(r, operation);
  }

  private void call(CodeBuilder b, Op op, int at) {
    b.aload(3).loadConstant(at).aaload();
    if (vectors && op.guard < 0 && op.hasForm()) {
      b.aload(1)
          .iload(2)
          .invokestatic(
              desc(StraightRun.class), "formed", MethodTypeDesc.of(CD_void, OP, WARP, CD_int));
    } else if (op.guard >= 0) {
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

  /** The field of {@link Warp} with the registers of a class. */
  static String registers(RegisterKind kind) {
    return switch (kind) {
      case INT -> "i";
      case FLOAT -> "f";
      case LONG -> "l";
      case DOUBLE -> "d";
      case PREDICATE -> "p";
    };
  }

  static ClassDesc scalars() {
    return desc(LaneScalars.class);
  }

  static ClassDesc warp() {
    return WARP;
  }
}
