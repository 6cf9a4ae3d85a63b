package dev.reprise.softgpu.engine;

import dev.reprise.softgpu.engine.math.Vectors;

/**
 * How the engine executes runs of operations. All ways give the same bits, unless a kernel reads
 * those of lanes that are not there, which is undefined.
 */
public enum Execution {
  /** One operation after the other, each register in an array of its own: the reference. */
  INTERPRETED(-1, Vectors.AVAILABLE),

  /**
   * Interpreted at first; where much is done is compiled, and the generated code takes over once it
   * has been measured to be faster. A process that ends after a few hundred small launches would
   * pay for compiling and gain nothing, hence the high count. The code uses the Vector API where
   * the JVM has it ({@link Vectors}).
   */
  ADAPTIVE(10_000_000, Vectors.AVAILABLE),

  /** As {@link #ADAPTIVE}, but compiled at the second run: for tests of the change. */
  EAGER(1, Vectors.AVAILABLE),

  /** Compiled at the first run, which takes long: for tests of the compiler. */
  COMPILED(0, Vectors.AVAILABLE),

  /** As {@link #COMPILED}, but without the Vector API. */
  LOOPS(0, false);

  private final int compileAfter;
  private final boolean vectors;

  Execution(int compileAfter, boolean vectors) {
    this.compileAfter = compileAfter;
    this.vectors = vectors;
  }

  int compileAfter() {
    return compileAfter;
  }

  /** Whether generated code uses the Vector API. */
  boolean vectors() {
    return vectors;
  }
}
