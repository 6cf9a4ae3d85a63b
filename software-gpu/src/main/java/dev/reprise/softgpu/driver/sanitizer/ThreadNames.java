package dev.reprise.softgpu.driver.sanitizer;

import dev.reprise.softgpu.engine.exec.Block;

/** How the threads of one block are named. */
record ThreadNames(Block.Shape shape, String block) {

  private static final int LANES = 32;

  String of(int warp, int lane) {
    int t = warp * LANES + lane;
    return "(%d, %d, %d)"
        .formatted(t % shape.x(), t / shape.x() % shape.y(), t / (shape.x() * shape.y()));
  }
}
