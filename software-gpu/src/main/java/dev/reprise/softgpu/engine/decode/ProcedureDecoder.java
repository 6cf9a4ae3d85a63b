package dev.reprise.softgpu.engine.decode;

import dev.reprise.softgpu.engine.exec.ActionOp;
import dev.reprise.softgpu.engine.exec.CallOp;
import dev.reprise.softgpu.engine.exec.DeviceCallOp;
import dev.reprise.softgpu.engine.exec.LocalCopyOp;
import dev.reprise.softgpu.engine.exec.Register;
import dev.reprise.softgpu.ptx.Operand;
import dev.reprise.softgpu.ptx.PtxType;
import dev.reprise.softgpu.ptx.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Calls of procedures, and of functions that the device provides. */
final class ProcedureDecoder {
  private final Emitter e;
  private final StackDecoder stack;
  private final Map<String, Long> addresses;
  private final List<CallOp> all = new ArrayList<>();
  private final List<CallOp> ofFrame = new ArrayList<>();
  private @Nullable Procedure frame;
  private RegisterFile.Mark mark = new RegisterFile.Mark(0, 0, 0, 0, 0);

  /**
   * @param addresses of functions, by name
   */
  ProcedureDecoder(Emitter e, StackDecoder stack, Map<String, Long> addresses) {
    this.e = e;
    this.stack = stack;
    this.addresses = addresses;
  }

  /** Emits what a kernel with procedures begins with. */
  void start() {
    e.begin(0, 0, "start of the kernel", null, new Scope(null, false));
    int pointer = e.framePointer();
    e.emit(
        new ActionOp((w, m) -> {
          for (int rest = m; rest != 0; rest &= rest - 1) {
            w.l[pointer][Integer.numberOfTrailingZeros(rest)] = 0;
          }
        }));
  }

  /** A procedure begins; tells whether it is the first, behind the kernel. */
  boolean enter(Procedure procedure) {
    boolean first = frame == null;
    leave();
    frame = procedure;
    mark = e.registers.mark();
    return first;
  }

  /** Calls of a procedure keep its registers, those of the kernel need not. */
  private void leave() {
    if (frame != null) {
      List<Register> registers = e.registers.since(mark);
      ofFrame.forEach(c -> c.saves(registers));
    }
    ofFrame.clear();
  }

  private long address(Procedure p) {
    return Objects.requireNonNull(addresses.get(p.function.name()));
  }

  void call(Item.Call c) {
    Statement.Instruction i = c.instruction();
    e.begin(i.line(), i.column(), i.form(), i.guard(), c.scope());
    int pointer = e.framePointer();
    int top = stack.pointer();
    Operand target = c.target();
    int register = target == null ? -1 : e.longs(target, PtxType.U64);
    int size = c.frame().size();
    long[] offsets = LocalFrame.offsets(c.formals());
    int results = c.results().size();
    for (int k = results; k < offsets.length; k++) {
      e.emit(
          new LocalCopyOp(
              pointer,
              c.arguments().get(k - results).address,
              size + offsets[k],
              c.formals().get(k).bytes()));
    }
    Procedure known = c.procedure();
    CallOp op = new CallOp(pointer, top, size, register, known == null ? 0 : address(known));
    e.emit(op);
    all.add(op);
    ofFrame.add(op);
    for (int k = 0; k < results; k++) {
      e.emit(
          new LocalCopyOp(
              pointer, size + offsets[k], c.results().get(k).address, c.formals().get(k).bytes()));
    }
  }

  void builtin(Item.Builtin c) {
    Statement.Instruction i = c.instruction();
    e.begin(i.line(), i.column(), i.form() + " " + c.name(), i.guard(), c.scope());
    boolean relative = frame != null;
    e.emit(
        new DeviceCallOp(
            c.name(),
            relative ? e.framePointer() : -1,
            c.arguments().stream().map(p -> p.address).toList(),
            c.results().isEmpty() ? -1 : c.results().get(0).address));
  }

  /** Tells the calls where procedures are, once all have been decoded. */
  void finish(Collection<Procedure> procedures) {
    leave();
    Map<Long, CallOp.Entry> entries = new HashMap<>();
    for (Procedure p : procedures) {
      entries.put(address(p), new CallOp.Entry(p.entry.pc, p.frame.size()));
    }
    all.forEach(c -> c.entries(entries));
  }
}
