package dev.reprise.softgpu.engine.decode;

import dev.reprise.softgpu.ptx.Statement;
import org.jspecify.annotations.Nullable;

/** One piece of a kernel after nested scopes and calls have been flattened. */
sealed interface Item permits LabelTarget, Item.Step, Item.Jump {

  /** An instruction with the scope that its names are looked up in. */
  record Step(Statement.Instruction instruction, Scope scope) implements Item {}

  /** A jump around or out of an inlined call. */
  record Jump(int line, LabelTarget target, Statement.@Nullable Guard guard, Scope scope)
      implements Item {}
}
