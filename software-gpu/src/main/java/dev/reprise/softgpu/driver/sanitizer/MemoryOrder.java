package dev.reprise.softgpu.driver.sanitizer;

import dev.reprise.softgpu.engine.exec.Op;
import java.util.Arrays;
import java.util.List;

/**
 * How a fence or a strong access orders others (PTX ISA, "Memory Consistency Model").
 *
 * @param acquires whether what comes behind it is behind what others have released
 * @param releases whether what is in front of it is released
 * @param wide whether that holds for threads of other blocks, too
 */
record MemoryOrder(boolean acquires, boolean releases, boolean wide) {

  /** Of a fence; of one between proxies, which orders no threads, neither. */
  static MemoryOrder ofFence(Op op) {
    List<String> parts = parts(op);
    boolean threads = !parts.contains("proxy");
    return new MemoryOrder(
        threads && !parts.contains("release"),
        threads && !parts.contains("acquire"),
        !parts.contains("cta"));
  }

  /** Of an access; of one to a barrier in shared memory both, unless it says that it is relaxed. */
  static MemoryOrder ofAccess(Op op) {
    List<String> parts = parts(op);
    boolean both =
        parts.contains("acq_rel") || op.text().startsWith("mbarrier") && !parts.contains("relaxed");
    return new MemoryOrder(
        both || parts.contains("acquire"),
        both || parts.contains("release"),
        !parts.contains("cta"));
  }

  private static List<String> parts(Op op) {
    return Arrays.asList(op.text().split("\\."));
  }
}
