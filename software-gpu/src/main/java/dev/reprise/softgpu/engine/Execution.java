package dev.reprise.softgpu.engine;

/**
 * How the engine executes runs of operations. All ways give the same bits, unless a kernel reads
 * those of lanes that are not there, which is undefined.
 */
public enum Execution {
  /** One operation after the other, each register in an array of its own: the reference. */
  INTERPRETED(-1),

  /**
   * Interpreted at first; where much is done is compiled, and the generated code takes over once it
   * has been measured to be faster. A process that ends after a few hundred small launches would
   * pay for compiling and gain nothing, hence the high count.
   */
  ADAPTIVE(10_000_000),

  /** As {@link #ADAPTIVE}, but compiled at the second run: for tests of the change. */
  EAGER(1),

  /** Compiled at the first run, which takes long: for tests of the compiler. */
  COMPILED(0);

  private final int compileAfter;

  Execution(int compileAfter) {
    this.compileAfter = compileAfter;
  }

  int compileAfter() {
    return compileAfter;
  }
}
