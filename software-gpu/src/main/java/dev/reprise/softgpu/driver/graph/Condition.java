package dev.reprise.softgpu.driver.graph;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.reprise.softgpu.driver.memory.DeviceMemory;
import dev.reprise.softgpu.driver.operation.ExecutionFault;
import dev.reprise.softgpu.driver.support.Result;
import dev.reprise.softgpu.memory.Allocation;
import dev.reprise.softgpu.memory.HostMemory;
import java.lang.invoke.VarHandle;

/**
 * The number that a conditional node decides by ({@code CUgraphConditionalHandle}). It lies in
 * device memory and the handle is its address, so that a kernel sets it by a store; behind it lies
 * whether anything has set it in this launch. Thread-safe.
 */
public final class Condition {

  private static final VarHandle INT = JAVA_INT.varHandle();
  private static final long SET = JAVA_INT.byteSize();
  private static final long BYTES = SET + JAVA_INT.byteSize();

  private final DeviceMemory memory;
  private final Object context;
  private final int defaultValue;
  private final boolean assignsDefault;
  private final Allocation cell;
  private int holders = 1;
  private boolean claimed;

  /**
   * Makes a condition held once.
   *
   * @param context the only one whose kernels may set it
   * @param assignsDefault whether each launch begins with the default value, or with none
   */
  public Condition(DeviceMemory memory, Object context, int defaultValue, boolean assignsDefault) {
    this.memory = memory;
    this.context = context;
    this.defaultValue = defaultValue;
    this.assignsDefault = assignsDefault;
    this.cell = memory.reserve(BYTES, "conditional handle");
  }

  /** What callers and kernels know it by. */
  public long handle() {
    return cell.base();
  }

  public Object context() {
    return context;
  }

  /** Takes the condition for a node; false when another node has it. */
  public synchronized boolean claim() {
    boolean free = !claimed;
    claimed = true;
    return free;
  }

  /** Gives it back. */
  public synchronized void unclaim() {
    claimed = false;
  }

  /** True while a node decides by it. */
  synchronized boolean claimed() {
    return claimed;
  }

  synchronized void retain() {
    holders++;
  }

  /** Gives a hold back; the memory goes with the last. */
  void release() {
    synchronized (this) {
      holders--;
      if (holders > 0) {
        return;
      }
    }
    memory.giveBack(cell);
  }

  /** What happens to it at the start of each launch. */
  void begin() {
    INT.setVolatile(HostMemory.ALL, cell.host(), defaultValue);
    INT.setVolatile(HostMemory.ALL, cell.host() + SET, assignsDefault ? 1 : 0);
  }

  /**
   * The value now.
   *
   * @throws ExecutionFault when nothing has set it in this launch: CUDA leaves it undefined then
   */
  int value() {
    if ((int) INT.getVolatile(HostMemory.ALL, cell.host() + SET) == 0) {
      throw new ExecutionFault(
          Result.LAUNCH_FAILED,
          "conditional handle 0x%x has no value: it was made without CU_GRAPH_COND_ASSIGN_DEFAULT, and no kernel set it in this launch"
              .formatted(handle()));
    }
    return (int) INT.getVolatile(HostMemory.ALL, cell.host());
  }
}
