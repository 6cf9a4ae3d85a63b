package dev.reprise.softgpu.engine.decode;

import dev.reprise.softgpu.ptx.Operand;
import dev.reprise.softgpu.ptx.Statement;
import dev.reprise.softgpu.ptx.Variable;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One piece of a kernel after nested scopes and calls have been flattened. */
sealed interface Item
    permits LabelTarget,
        Item.Step,
        Item.Jump,
        Item.Call,
        Item.Return,
        Item.FrameStart,
        Item.Builtin {

  /** An instruction with the scope that its names are looked up in. */
  record Step(Statement.Instruction instruction, Scope scope) implements Item {}

  /**
   * A call that is not inlined.
   *
   * @param procedure what is called, null where {@code target} holds its address
   * @param frame of the caller
   * @param formals results and then parameters of the callee
   */
  record Call(
      Statement.Instruction instruction,
      Scope scope,
      @Nullable Procedure procedure,
      @Nullable Operand target,
      LocalFrame frame,
      List<Place> results,
      List<Place> arguments,
      List<Variable> formals)
      implements Item {}

  /** {@code ret} in a procedure. */
  record Return(int line, Statement.@Nullable Guard guard, Scope scope) implements Item {}

  /** What follows belongs to a procedure; what came before to the kernel or another one. */
  record FrameStart(Procedure procedure) implements Item {}

  /** A call of a function that the device provides, such as vprintf. */
  record Builtin(
      Statement.Instruction instruction,
      Scope scope,
      String name,
      List<Place> results,
      List<Place> arguments)
      implements Item {}

  /** A jump around or out of an inlined call. */
  record Jump(int line, LabelTarget target, Statement.@Nullable Guard guard, Scope scope)
      implements Item {}
}
