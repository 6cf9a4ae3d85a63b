package dev.reprise.softgpu.engine.exec;

/** Sees all accesses of one launch whose blocks are interpreted on one thread. */
public interface LaunchWatch {

  /**
   * A block begins.
   *
   * @param position its index, as {@code (x, y, z)}
   * @return what sees the accesses of its threads
   */
  BlockWatch block(Block block, String position);
}
