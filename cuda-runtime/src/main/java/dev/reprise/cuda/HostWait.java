package dev.reprise.cuda;

/**
 * How a thread waits in the driver for work of a device, see {@link Device#setHostWait} (CUDA
 * Driver API, "Primary Context Management", {@code cuDevicePrimaryCtxSetFlags}).
 */
public enum HostWait {
  /** As the driver likes: it mostly spins while there are fewer contexts than processors. */
  AUTO,
  /** Keeps the processor busy: the shortest latency. */
  SPIN,
  /** Spins, and lets other threads of the processor go first. */
  YIELD,
  /** Sleeps until the work is done: leaves the processor to others, and costs latency. */
  BLOCK
}
