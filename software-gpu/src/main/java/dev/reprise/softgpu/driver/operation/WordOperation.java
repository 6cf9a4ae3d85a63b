package dev.reprise.softgpu.driver.operation;

import dev.reprise.softgpu.driver.queue.Work;

/** One entry of a batch of memory operations ({@code CUstreamBatchMemOpParams}). Immutable. */
public sealed interface WordOperation extends Work permits ValueWait, ValueWrite, WordBarrier {

  /** Its number in {@code CUstreamBatchMemOpType}. */
  int code();

  /** One line for people. */
  String describe();
}
