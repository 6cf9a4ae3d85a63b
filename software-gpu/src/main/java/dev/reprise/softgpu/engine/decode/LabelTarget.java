package dev.reprise.softgpu.engine.decode;

/** A label, in one inlined copy of its function. */
final class LabelTarget implements Symbol, Item {
  final String name;
  int pc = -1;

  LabelTarget(String name) {
    this.name = name;
  }
}
