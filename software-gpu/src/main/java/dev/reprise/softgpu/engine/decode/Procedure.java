package dev.reprise.softgpu.engine.decode;

import dev.reprise.softgpu.ptx.Function;

/** A function that is called and not inlined: it calls itself, or its address is taken. */
final class Procedure {
  final Function function;
  final LabelTarget entry;
  final LocalFrame frame = new LocalFrame(true);

  Procedure(Function function) {
    this.function = function;
    entry = new LabelTarget(function.name());
  }
}
