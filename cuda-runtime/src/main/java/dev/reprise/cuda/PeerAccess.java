package dev.reprise.cuda;

/**
 * Lets kernels on one device read and write memory of another. Such a buffer is then an argument
 * like any other. {@link Device#enablePeerAccess(Device)} opens what {@link Device#allocate} and,
 * from the default pool, {@link Stream#allocate} give there, before or later, and the variables of
 * modules; {@link Device#enablePeerAccess(MemoryPool)} opens a pool, and {@link
 * Device#enablePeerAccess(VirtualRange)} a range, however it grows.
 *
 * <p>It serves all kernels of the device, whichever {@link Device} object their modules were loaded
 * by. It is one way only. Closing it refuses prepared launches that use it, and ends the access
 * once no stream and no graph uses it any more. It keeps both devices alive, and the pool or the
 * range.
 *
 * <p>Copies between devices need no access, see {@link Stream#copyPeer}. Memory that graphs
 * allocate is opened by the node that allocates it ({@link Graph#addAllocation(String, long,
 * java.util.List, GraphNode...)}), or, where it was captured, as its pool was then. A launch that
 * uses memory of another device allocates a little, unlike others. Memory of a stream's order may
 * be used behind an event that was recorded after its allocation, as on another stream.
 *
 * <p><b>Threads:</b> any. <b>Capture:</b> kernels that need it may be captured, and their graph
 * keeps the access; it cannot be enabled during a capture, and may be closed. See CUDA Driver API,
 * "Peer Context Memory Access".
 */
public final class PeerAccess implements AutoCloseable {

  private final Device device;
  private final Device peer;
  private final PeerAccessHandle handle;

  PeerAccess(Device device, Device peer, PeerAccessHandle handle) {
    this.device = device;
    this.peer = peer;
    this.handle = handle;
  }

  /** The device whose kernels may access the memory of the other. */
  public Device device() {
    return device;
  }

  /** The device whose memory they may access. */
  public Device peer() {
    return peer;
  }

  /** Whether {@link #close} was called. */
  public boolean isClosed() {
    return handle.isClosed();
  }

  /** Ends the access once nothing uses it ({@code cuCtxDisablePeerAccess}). */
  @Override
  public void close() {
    handle.close();
  }

  @Override
  public String toString() {
    return "PeerAccess " + handle.label();
  }
}
