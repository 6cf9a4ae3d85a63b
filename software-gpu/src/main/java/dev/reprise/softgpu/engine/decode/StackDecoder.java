package dev.reprise.softgpu.engine.decode;

import static dev.reprise.softgpu.engine.exec.LaneFunction.l;

import dev.reprise.softgpu.engine.exec.IntOp;
import dev.reprise.softgpu.engine.exec.LongOp;
import dev.reprise.softgpu.engine.exec.RegisterKind;
import dev.reprise.softgpu.engine.exec.StackOp;
import dev.reprise.softgpu.engine.math.LongLanes;
import dev.reprise.softgpu.ptx.Operand;
import dev.reprise.softgpu.ptx.PtxType;
import dev.reprise.softgpu.ptx.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * {@code alloca}, {@code stacksave} and {@code stackrestore} (PTX ISA, "Stack Manipulation
 * Instructions"). Whoever does not allocate pays nothing: a stack pointer exists only where a
 * kernel or what it calls has such an instruction.
 */
final class StackDecoder {
  private static final long MOST_ALIGNMENT = 1 << 23;
  private static final long LEAST_ALIGNMENT = 8;

  /** No register of PTX has this name. */
  private static final String SAVED = "the stack pointer of the caller";

  private final Emitter e;
  private final LocalFrame kernel;
  private @Nullable Procedure procedure;
  private int pointer = -1;

  /**
   * @param kernel the frame of the kernel
   */
  StackDecoder(Emitter e, LocalFrame kernel) {
    this.e = e;
    this.kernel = kernel;
  }

  private static boolean manipulates(String opcode) {
    return switch (opcode) {
      case "alloca", "stacksave", "stackrestore" -> true;
      default -> false;
    };
  }

  /** Whether a body allocates, what it calls left out. */
  static boolean allocates(List<Statement> body) {
    return body.stream()
        .anyMatch(s ->
            switch (s) {
              case Statement.Instruction i -> i.opcode().equals("alloca");
              case Statement.Scope inner -> allocates(inner.statements());
              default -> false;
            });
  }

  /** Whether a kernel needs a stack pointer. */
  static boolean used(List<Item> items) {
    return items.stream()
        .anyMatch(x -> x instanceof Item.Step s && manipulates(s.instruction().opcode()));
  }

  /**
   * What an inlined body has to have before it and behind it, so that it gives back what it
   * allocates.
   */
  static List<Item> kept(Statement.Instruction call, Scope caller) {
    Scope scope = new Scope(caller, caller.inFunction);
    scope.put(SAVED, new VirtualRegister(SAVED, PtxType.U64));
    List<Item> steps = new ArrayList<>();
    for (String opcode : List.of("stacksave", "stackrestore")) {
      // In column 0 it is no instruction of the text.
      steps.add(
          new Item.Step(
              new Statement.Instruction(
                  call.line(),
                  0,
                  null,
                  opcode,
                  List.of("u64"),
                  List.of(new Operand.Name(SAVED, 0)),
                  call.source()),
              scope));
    }
    return steps;
  }

  /** Emits what a kernel with a stack pointer begins with. */
  void start(List<Item> items) {
    if (used(items)) {
      e.begin(0, 0, "start of the kernel", null, new Scope(null, false));
      pointer = e.registers.allocate(RegisterKind.LONG);
      e.emit(StackOp.start(pointer()));
    }
  }

  /** Long array with the stack pointer, marked as touched; -1 where there is none. */
  int pointer() {
    return pointer < 0 ? -1 : e.registers.touch(RegisterKind.LONG, pointer);
  }

  /** A procedure begins. */
  void enter(Procedure p) {
    procedure = p;
  }

  private StackOp.Frame frame() {
    return procedure == null
        ? new StackOp.Frame(-1, kernel.size())
        : new StackOp.Frame(e.framePointer(), Objects.requireNonNull(procedure).frame.size());
  }

  void manipulate(Form f) {
    PtxType t = f.type();
    if (f.typeCount() != 1 || (t != PtxType.U32 && t != PtxType.U64)) {
      throw f.error("needs the type .u32 or .u64");
    }
    switch (f.opcode()) {
      case "alloca" -> allocate(f, t);
      case "stacksave" -> {
        f.done(1);
        int p = pointer();
        result(f.operand(0), t, p);
      }
      default -> {
        f.done(1);
        if (e.register(f.operand(0)) == null) {
          throw f.error("needs a register, not " + f.operand(0));
        }
        int saved = e.longs(f.operand(0), t);
        e.emit(StackOp.restore(pointer(), frame(), saved));
      }
    }
  }

  private void result(Operand o, PtxType t, int from) {
    if (t == PtxType.U64) {
      e.toLong(o, LongOp.describe((w, d) -> LongLanes.mov(d, w.l[from]), "mov", l(from)));
    } else {
      e.toInt(o, t, IntOp.describe((w, d) -> LongLanes.low(d, w.l[from]), "low", l(from)));
    }
  }

  private void allocate(Form f, PtxType t) {
    f.done(2, 3);
    long alignment = LEAST_ALIGNMENT;
    if (f.operands() == 3) {
      long given = f.operand(2) instanceof Operand.IntImmediate i ? i.value() : 0;
      if (Long.bitCount(given) != 1 || given < 0 || given > MOST_ALIGNMENT) {
        throw f.error(
            "needs a power of two up to " + MOST_ALIGNMENT + " as alignment, not " + f.operand(2));
      }
      alignment = Math.max(given, LEAST_ALIGNMENT);
    }
    int size = e.longs(f.operand(1), t);
    int begins = e.temporary(RegisterKind.LONG);
    e.emit(StackOp.allocate(pointer(), frame(), size, begins, alignment));
    result(f.operand(0), t, begins);
  }
}
