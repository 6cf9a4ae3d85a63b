package dev.reprise.softgpu.engine.exec;

/** Code that does a {@link StraightRun}. */
@FunctionalInterface
public interface CompiledRun {
  /**
   * @param m the active lanes
   * @param ops the operations of the run, for those that the code only calls
   */
  void run(Warp w, int m, Op[] ops);
}
