package dev.reprise.softgpu.engine.exec;

/** Does an operation of one form with the Vector API, whatever its registers. */
public interface VectorForm {
  /**
   * @param m the active lanes: all that live
   */
  void run(Warp w, Op op, int m);
}
