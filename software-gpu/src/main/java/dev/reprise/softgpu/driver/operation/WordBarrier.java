package dev.reprise.softgpu.driver.operation;

import java.lang.invoke.VarHandle;

/**
 * Orders the memory operations around it.
 *
 * @param flags {@code CUstreamMemoryBarrier_flags}
 */
public record WordBarrier(int flags) implements WordOperation {

  /** {@code CU_STREAM_MEM_OP_BARRIER}. */
  public static final int CODE = 6;

  @Override
  public int code() {
    return CODE;
  }

  @Override
  public String describe() {
    return "barrier";
  }

  @Override
  public void run() {
    VarHandle.fullFence();
  }
}
