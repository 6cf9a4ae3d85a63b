package dev.reprise.cuda;

import dev.reprise.cuda.diagnostics.ResourceKind;
import dev.reprise.cuda.ownership.HandleNode;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Access from kernels of one device to memory of another: to all that is the other's own, or to one
 * pool or range.
 */
final class PeerAccessHandle extends HandleNode {

  /** From which device to which, and to what there; null for the device's own memory. */
  private record Way(int from, int to, @Nullable HandleNode memory) {}

  /** Opens and closes memory to a device. */
  private interface Gate {
    void set(boolean open);
  }

  /** Primary contexts belong to the process, and so does access between them. */
  private static final ConcurrentHashMap<Way, PeerAccessHandle> ENABLED = new ConcurrentHashMap<>();

  private final Way way;
  private final Gate gate;

  /** The caller has retained the device and the memory for it. */
  private PeerAccessHandle(DeviceHandle device, HandleNode memory, Way way, Gate gate) {
    super(
        ResourceKind.PEER_ACCESS,
        device.label() + " to " + memory.label(),
        device.context().retirement(),
        List.of(device, memory));
    this.way = way;
    this.gate = gate;
  }

  /** To what {@link Device#allocate} gives, the default pool and variables. */
  static PeerAccessHandle enable(DeviceHandle device, DeviceHandle peer) {
    Way way = new Way(device.context().ordinal(), peer.context().ordinal(), null);
    return enable(device, peer, way, open -> set(device, peer, open));
  }

  private static void set(DeviceHandle device, DeviceHandle peer, boolean open) {
    boolean pooled = peer.memory().pooled();
    if (!open) {
      Cleanup.all(
          () -> {
            if (pooled) {
              setPool(device, peer, defaultPool(peer), false);
            }
          },
          () -> PeerCalls.disable(device.context(), peer.context()));
      return;
    }
    PeerCalls.enable(device.context(), peer.context());
    try {
      if (pooled) {
        setPool(device, peer, defaultPool(peer), true);
      }
    } catch (RuntimeException e) {
      Cleanup.after(e, () -> PeerCalls.disable(device.context(), peer.context()));
      throw e;
    }
  }

  private static MemorySegment defaultPool(DeviceHandle peer) {
    return PoolCalls.defaultPool(peer.context(), peer.device());
  }

  private static void setPool(
      DeviceHandle device, DeviceHandle peer, MemorySegment pool, boolean open) {
    PoolCalls.setAccess(peer.context(), peer.label(), pool, device.device(), open);
  }

  /** To the memory of a pool of the program. */
  static PeerAccessHandle enable(DeviceHandle device, MemoryPoolHandle pool) {
    Context peer = pool.context();
    return enable(
        device,
        pool,
        new Way(device.context().ordinal(), peer.ordinal(), pool),
        open -> PoolCalls.setAccess(peer, pool.label(), pool.value(), device.device(), open));
  }

  /** To a virtual range, however it grows. */
  static PeerAccessHandle enable(DeviceHandle device, VirtualRangeHandle range) {
    return enable(
        device,
        range,
        new Way(device.context().ordinal(), range.context().ordinal(), range),
        open -> range.setAccess(device.device(), open));
  }

  private static PeerAccessHandle enable(
      DeviceHandle device, HandleNode memory, Way way, Gate gate) {
    return HandleNode.under(
        device,
        () ->
            HandleNode.under(
                memory,
                () -> {
                  // One at a time: not every driver call refuses what is enabled already.
                  synchronized (ENABLED) {
                    if (way.memory() != null && ENABLED.containsKey(way)) {
                      throw new IllegalStateException(
                          "Access of device %d to %s '%s' was enabled before and has not ended."
                              .formatted(way.from(), memory.kind().typeName(), memory.label()));
                    }
                    gate.set(true);
                    PeerAccessHandle handle = new PeerAccessHandle(device, memory, way, gate);
                    ENABLED.put(way, handle);
                    return handle;
                  }
                }));
  }

  /**
   * The numbers of the devices whose kernels may use what a pool gives.
   *
   * @param pool null for the default pool of the device
   */
  static Set<Integer> users(Context home, @Nullable MemoryPoolHandle pool) {
    Set<Integer> users = new HashSet<>();
    ENABLED.forEach((way, access) -> {
      if (way.to() == home.ordinal() && way.memory() == pool && !access.isClosed()) {
        users.add(way.from());
      }
    });
    return users;
  }

  /** What lets kernels of a context use memory; null where they need nothing. */
  static @Nullable PeerAccessHandle needed(Context user, RegionHandle memory) {
    int from = user.ordinal();
    int to = memory.context().ordinal();
    if (from == to || (memory instanceof GraphMemoryHandle graphs && graphs.isOpenTo(from))) {
      return null;
    }
    HandleNode within =
        switch (memory) {
          case DeviceMemoryHandle any -> null;
          case ModuleVariableHandle any -> null;
          case StreamOrderedMemoryHandle ordered -> ordered.pool();
          case VirtualRangeHandle range -> range;
          case GraphMemoryHandle any ->
              throw refused(
                  user,
                  memory,
                  ": it is memory of a graph, which its node, or the pool that it was captured from, does not open to that device");
          default -> throw refused(user, memory, ": no access of other devices is given to it");
        };
    PeerAccessHandle access = ENABLED.get(new Way(from, to, within));
    if (access == null || access.isClosed()) {
      String what =
          within == null ? "" : " for %s '%s'".formatted(within.kind().typeName(), within.label());
      throw refused(user, memory, " unless Device.enablePeerAccess allows it" + what);
    }
    return access;
  }

  private static IllegalArgumentException refused(
      Context user, RegionHandle memory, String unless) {
    return new IllegalArgumentException(
        "%s '%s' belongs to device %d and cannot be used on device %d%s."
            .formatted(
                memory.kind().typeName(),
                memory.label(),
                memory.context().ordinal(),
                user.ordinal(),
                unless));
  }

  @Override
  protected void destroy() {
    try {
      gate.set(false);
    } finally {
      // Only now, so that it is not enabled anew in between.
      ENABLED.remove(way, this);
    }
  }
}
