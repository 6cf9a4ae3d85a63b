package dev.reprise.softgpu.engine;

import dev.reprise.softgpu.engine.exec.Counts;

/** Is told what launches did. */
@FunctionalInterface
public interface LaunchObserver {

  /** A launch has ended, also by a fault; called on the thread that ran it. */
  void ended(LaunchRequest launch, Counts counts);
}
