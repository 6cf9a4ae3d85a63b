package dev.reprise.softgpu.profile;

import dev.reprise.softgpu.engine.Engine;
import dev.reprise.softgpu.engine.exec.Counts;
import dev.reprise.softgpu.engine.exec.InstructionKind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Counts what kernels do. While it is on, kernels are interpreted and not compiled, which is slower
 * and gives the same bits; while it is off it costs nothing but a look for each instruction that is
 * interpreted. Thread-safe.
 */
public final class Profiler {
  private static final int MOST_LAUNCHES = 100_000;

  private final Engine engine;
  private final Map<String, KernelProfile> kernels = new LinkedHashMap<>();
  private final List<KernelProfile> launches = new ArrayList<>();

  /** Of an engine; off at first. */
  public Profiler(Engine engine) {
    this.engine = engine;
  }

  /** Forgets what was counted, and counts the launches that begin from now on. */
  public void start() {
    synchronized (this) {
      kernels.clear();
      launches.clear();
    }
    resume();
  }

  /**
   * Counts the launches that begin from now on, in addition to what was counted: what {@code
   * cuProfilerStart} does. Has no effect while it counts.
   */
  public void resume() {
    engine.observe((request, counts) -> take(request.kernel().name(), counts));
  }

  /** Counts no launch that begins from now on, as {@code cuProfilerStop} does. */
  public void stop() {
    engine.observe(null);
  }

  private synchronized void take(String kernel, Counts counts) {
    KernelProfile launch = new KernelProfile(kernel, 1, named(counts));
    kernels.merge(kernel, launch, Profiler::sum);
    if (launches.size() < MOST_LAUNCHES) {
      launches.add(launch);
    }
  }

  /** What each kernel did in all its launches, in the order in which they first ended. */
  public synchronized List<KernelProfile> kernels() {
    return List.copyOf(kernels.values());
  }

  /** What each launch did, in the order in which they ended; the first 100,000 are kept. */
  public synchronized List<KernelProfile> launches() {
    return List.copyOf(launches);
  }

  private static KernelProfile sum(KernelProfile a, KernelProfile b) {
    Map<String, Long> counts = new TreeMap<>(a.counts());
    b.counts().forEach((name, value) -> counts.merge(name, value, Long::sum));
    return new KernelProfile(a.kernel(), a.launches() + b.launches(), counts);
  }

  private static Map<String, Long> named(Counts counts) {
    Map<String, Long> named = new TreeMap<>();
    for (InstructionKind kind : InstructionKind.values()) {
      String name = kind.name().toLowerCase(Locale.ROOT);
      put(named, "warp_instructions." + name, counts.warpInstructions(kind));
      put(named, "thread_instructions." + name, counts.threadInstructions(kind));
    }
    for (Counts.Counter counter : Counts.Counter.values()) {
      put(named, counter.name().toLowerCase(Locale.ROOT), counts.get(counter));
    }
    return named;
  }

  private static void put(Map<String, Long> named, String name, long value) {
    if (value != 0) {
      named.put(name, value);
    }
  }
}
