package dev.reprise.softgpu.engine;

import dev.reprise.softgpu.engine.exec.Windows;
import dev.reprise.softgpu.ptx.Function;
import dev.reprise.softgpu.ptx.PtxModule;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Addresses of the functions of modules: none is used twice in a process, so that one of an
 * unloaded module calls nothing.
 */
final class CodeAddresses {
  private static final int STEP = 16;
  private static final AtomicLong NEXT = new AtomicLong(Windows.CODE);

  private CodeAddresses() {}

  static Map<String, Long> of(PtxModule module) {
    Map<String, Long> all = new HashMap<>();
    for (Function f : module.functions()) {
      if (!f.entry() && f.body() != null) {
        all.put(f.name(), NEXT.getAndAdd(STEP));
      }
    }
    return all;
  }
}
