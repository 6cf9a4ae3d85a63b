package dev.reprise.cuda;

import dev.reprise.cuda.diagnostics.ResourceKind;
import dev.reprise.cuda.ownership.HandleNode;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Access from the primary context of one device to that of another. */
final class PeerAccessHandle extends HandleNode {

  /** Between which devices. */
  private record Pair(int from, int to) {}

  /** Primary contexts belong to the process, and so does access between them. */
  private static final ConcurrentHashMap<Pair, PeerAccessHandle> ENABLED =
      new ConcurrentHashMap<>();

  private final DeviceHandle device;
  private final DeviceHandle peer;

  /** The caller has retained both devices for it. */
  private PeerAccessHandle(DeviceHandle device, DeviceHandle peer) {
    super(
        ResourceKind.PEER_ACCESS,
        device.label() + " to " + peer.label(),
        device.context().retirement(),
        List.of(device, peer));
    this.device = device;
    this.peer = peer;
  }

  static PeerAccessHandle enable(DeviceHandle device, DeviceHandle peer) {
    return HandleNode.under(device, () -> HandleNode.under(peer, () -> enabled(device, peer)));
  }

  private static PeerAccessHandle enabled(DeviceHandle device, DeviceHandle peer) {
    PeerCalls.enable(device.context(), peer.context());
    try {
      if (peer.memory().pooled()) {
        PeerCalls.openPool(peer, device, true);
      }
    } catch (RuntimeException e) {
      Cleanup.after(e, () -> PeerCalls.disable(device.context(), peer.context()));
      throw e;
    }
    PeerAccessHandle handle = new PeerAccessHandle(device, peer);
    ENABLED.put(handle.pair(), handle);
    return handle;
  }

  private Pair pair() {
    return new Pair(device.context().ordinal(), peer.context().ordinal());
  }

  /** What lets kernels of a context use memory; null where they need nothing. */
  static @Nullable PeerAccessHandle needed(Context user, RegionHandle memory) {
    int from = user.ordinal();
    int to = memory.context().ordinal();
    if (from == to) {
      return null;
    }
    PeerAccessHandle access = ENABLED.get(new Pair(from, to));
    boolean plain = memory instanceof DeviceMemoryHandle || memory instanceof ModuleVariableHandle;
    if (!plain || access == null || access.isClosed()) {
      throw new IllegalArgumentException(
          "%s '%s' belongs to device %d and cannot be used on device %d%s."
              .formatted(
                  memory.kind().typeName(),
                  memory.label(),
                  to,
                  from,
                  plain
                      ? " unless Device.enablePeerAccess allows it"
                      : ": other devices can use what Device.allocate gives, and variables"));
    }
    return access;
  }

  @Override
  protected void destroy() {
    ENABLED.remove(pair(), this);
    Cleanup.all(
        () -> {
          if (peer.memory().pooled()) {
            PeerCalls.openPool(peer, device, false);
          }
        },
        () -> PeerCalls.disable(device.context(), peer.context()));
  }
}
