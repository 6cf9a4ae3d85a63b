package dev.reprise.cuda;

import java.lang.foreign.MemorySegment;

/**
 * A resource of the program that graphs keep alive: it is closed by the runtime once this object is
 * closed and no graph holds it any more. {@link Device#createUserObject} makes one and {@link
 * Graph#retain} gives it to a graph; copies of that graph, executable graphs made from it, graphs
 * it becomes a child of, and launches in flight hold it as well, by themselves. So what a host
 * function or a kernel reaches by an address that the runtime does not know lives as long as it can
 * be used.
 *
 * <p>The runtime does this for all that it knows itself: buffers, modules, events and host
 * functions need no user object.
 *
 * <p>The resource is closed once, some time after the last reference is gone, by a thread of the
 * runtime's own. It may use the runtime there, like any thread; the thread serves all user objects
 * of the process, so that one that waits long holds the others up. What it throws goes to {@link
 * dev.reprise.cuda.diagnostics.DiagnosticsListener#cleanupFailed}. It is not closed when the
 * process ends first.
 *
 * <p><b>Threads:</b> any. <b>Capture:</b> may be made and closed during a capture; a graph takes it
 * when the capture has ended. See CUDA Driver API, "Graph Management", {@code cuUserObjectCreate}.
 */
public final class UserObject implements AutoCloseable {

  private final Device device;
  private final UserObjectHandle handle;

  UserObject(Device device, UserObjectHandle handle) {
    this.device = device;
    this.handle = handle;
  }

  /** The device it was made from. */
  public Device device() {
    return device;
  }

  /** Its name in messages. */
  public String label() {
    return handle.label();
  }

  /**
   * The driver's {@code CUuserObject}, for calls that the runtime does not have. Borrowed: it is
   * good while this is open and reachable, or while a reference of one's own is held; see
   * {@linkplain dev.reprise.cuda raw handles}.
   *
   * @throws IllegalStateException if the object is closed
   */
  public MemorySegment driverHandle() {
    handle.checkOpen();
    return handle.value();
  }

  /** Whether {@link #close} was called; graphs may still hold the resource. */
  public boolean isClosed() {
    return handle.isClosed();
  }

  /** Gives the program's own reference back ({@code cuUserObjectRelease}). */
  @Override
  public void close() {
    handle.close();
  }

  UserObjectHandle handle() {
    return handle;
  }

  @Override
  public String toString() {
    return "UserObject '" + label() + "'";
  }
}
