package dev.reprise.softgpu.driver.context;

import dev.reprise.softgpu.driver.memory.DeviceMemory;
import dev.reprise.softgpu.driver.memory.MemoryPool;
import dev.reprise.softgpu.driver.queue.Choices;
import dev.reprise.softgpu.driver.sanitizer.Tracing;
import dev.reprise.softgpu.driver.simulation.Simulator;
import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.driver.support.Handles;
import dev.reprise.softgpu.driver.support.Result;
import dev.reprise.softgpu.engine.Engine;
import dev.reprise.softgpu.engine.Execution;
import dev.reprise.softgpu.memory.AddressSpace;
import org.jspecify.annotations.Nullable;

/** A device: its memory, its engine, and its primary context. Thread-safe. */
public final class Device {

  private final int ordinal;
  private final Handles handles;
  private final Captures captures;
  private final DeviceModel model;
  private final DeviceMemory memory;
  private final Engine engine;
  private final Tracing tracing;
  private final Simulator simulator;
  private final MemoryPool pool;
  private final QueuedFrees frees;

  private volatile MemoryPool currentPool;
  private volatile @Nullable String lastFault;
  private volatile @Nullable Result lostWith;

  private @Nullable Context primary;
  private int retained;
  private int primaryFlags;

  /**
   * A device.
   *
   * @param ordinal its number
   * @param space its memory
   * @param tracing follows it for the sanitizer, beside the others
   */
  Device(
      int ordinal,
      AddressSpace space,
      Handles handles,
      Captures captures,
      DeviceModel model,
      Execution execution,
      Tracing tracing,
      Simulator simulator) {
    this.ordinal = ordinal;
    this.simulator = simulator;
    this.handles = handles;
    this.captures = captures;
    this.model = model;
    this.memory = new DeviceMemory(space);
    this.tracing = tracing;
    int workers = tracing.full() ? 1 : model.multiprocessors();
    this.engine = new Engine(memory.space(), workers, execution);
    tracing.follow(memory.space(), engine);
    engine.interleave(Choices::currentLaunchSeed);
    this.pool = handles.publish(new MemoryPool(handles, ordinal, 0));
    this.currentPool = pool;
    this.frees = new QueuedFrees(memory);
  }

  /** Its number. */
  public int ordinal() {
    return ordinal;
  }

  public DeviceModel model() {
    return model;
  }

  public DeviceMemory memory() {
    return memory;
  }

  public Engine engine() {
    return engine;
  }

  /** What follows the work and the memory for the sanitizer. */
  public Tracing tracing() {
    return tracing;
  }

  /** What decides the order of work in simulations. */
  Simulator simulator() {
    return simulator;
  }

  /** The default pool of stream-ordered allocations. */
  public MemoryPool pool() {
    return pool;
  }

  /** The stream-ordered frees that have not run. */
  public QueuedFrees frees() {
    return frees;
  }

  /** The pool of allocations that name none. */
  public MemoryPool currentPool() {
    return currentPool;
  }

  /** Has allocations that name no pool come from this one. */
  public void currentPool(MemoryPool chosen) {
    currentPool = chosen;
  }

  /** What poisoned a context last, in words; null if nothing did. */
  public @Nullable String lastFault() {
    return lastFault;
  }

  void faulted(Result code, String why) {
    lastFault = why;
    lostWith = code;
  }

  /** The code that poisoned a context last, or null. */
  @Nullable Result lostWith() {
    return lostWith;
  }

  void forgetLoss() {
    lostWith = null;
  }

  /** Retains the primary context, making it if there is none. */
  public synchronized Context retainPrimary() {
    Context context = primary;
    if (context == null) {
      context = createContext(primaryFlags);
      primary = context;
    }
    retained++;
    return context;
  }

  /** Makes a context of its own. */
  public Context createContext(int flags) {
    return handles.publish(new Context(handles, this, captures, flags));
  }

  /** Gives a reference to the primary context back; the last one destroys it. */
  public void releasePrimary() {
    Context last = null;
    synchronized (this) {
      if (retained == 0) {
        throw new CudaFailure(Result.INVALID_CONTEXT, "the primary context is not retained");
      }
      retained--;
      if (retained == 0) {
        last = primary;
        primary = null;
      }
    }
    if (last != null) {
      last.destroy();
    }
  }

  /** Destroys the primary context whoever retains it; the next retain makes a new one. */
  public void resetPrimary() {
    Context old;
    synchronized (this) {
      old = primary;
      primary = null;
      retained = 0;
    }
    if (old != null) {
      old.destroy();
    }
  }

  /** The primary context while it exists, else null. */
  public synchronized @Nullable Context primary() {
    return primary;
  }

  /** True while the primary context exists. */
  public synchronized boolean primaryActive() {
    return primary != null;
  }

  /** True for the primary context. */
  public synchronized boolean isPrimary(Context context) {
    return context == primary;
  }

  public synchronized int primaryFlags() {
    return primaryFlags;
  }

  /** Sets the flags that the next primary context is made with. */
  public synchronized void primaryFlags(int flags) {
    primaryFlags = flags;
  }
}
