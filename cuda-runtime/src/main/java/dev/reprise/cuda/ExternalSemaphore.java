package dev.reprise.cuda;

import java.lang.foreign.MemorySegment;

/**
 * A semaphore that another driver of the same device has made, such as one of Vulkan; {@link
 * Device#importSemaphore} takes it over. {@link Stream#signal} and {@link Stream#waitFor(
 * ExternalSemaphore, long)} use it in the order of a stream, {@link Graph#addSignal} and {@link
 * Graph#addWait(ExternalSemaphore, long, GraphNode...)} in graphs.
 *
 * <p>Within CUDA, events do the same and cost less. On the software GPU, which has no other driver
 * beside it, a file takes the place of what such a driver exports: see {@code
 * docs/software-gpu.md}.
 *
 * <p>Closing it gives the semaphore back once no stream and no graph uses it any more.
 *
 * <p><b>Threads:</b> any. <b>Capture:</b> signals and waits may be captured; importing one is
 * refused. See CUDA Driver API, "External Resource Interoperability".
 */
public final class ExternalSemaphore implements AutoCloseable {

  private final Device device;
  private final ExternalSemaphoreKind kind;
  private final ExternalSemaphoreHandle handle;

  ExternalSemaphore(Device device, ExternalSemaphoreKind kind, ExternalSemaphoreHandle handle) {
    this.device = device;
    this.kind = kind;
    this.handle = handle;
  }

  /** The device it was imported for. */
  public Device device() {
    return device;
  }

  /** Its name in messages. */
  public String label() {
    return handle.label();
  }

  /**
   * The driver's {@code CUexternalSemaphore}, for calls that the runtime does not have. Borrowed:
   * it is good while the semaphore is open and reachable; see {@linkplain dev.reprise.cuda raw
   * handles}.
   *
   * @throws IllegalStateException if the semaphore is closed
   */
  public MemorySegment driverHandle() {
    handle.checkOpen();
    return handle.value();
  }

  /** What it is. */
  public ExternalSemaphoreKind kind() {
    return kind;
  }

  /** Whether {@link #close} was called; graphs may still use it. */
  public boolean isClosed() {
    return handle.isClosed();
  }

  /** Gives it back once nothing uses it ({@code cuDestroyExternalSemaphore}). */
  @Override
  public void close() {
    handle.close();
  }

  ExternalSemaphoreHandle handle() {
    return handle;
  }

  @Override
  public String toString() {
    return "ExternalSemaphore '" + label() + "'";
  }
}
