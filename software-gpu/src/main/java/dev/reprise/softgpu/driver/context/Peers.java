package dev.reprise.softgpu.driver.context;

import dev.reprise.softgpu.driver.memory.Block;
import dev.reprise.softgpu.driver.memory.Readers;
import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.driver.support.Result;
import dev.reprise.softgpu.memory.AddressSpace;
import dev.reprise.softgpu.memory.Allocation;
import dev.reprise.softgpu.memory.Neighbours;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Which memory of other devices the kernels of a device can access: host memory that the driver
 * knows, always; memory of {@code cuMemAlloc} and variables, where a context of the device has
 * enabled access to the context of the memory; memory of pools, as the pool says; mapped ranges and
 * the memory of graphs, as each was told. Thread-safe.
 *
 * <p>A kernel belongs to a device here and not to a context, so what one context of a device has
 * enabled serves the others, too.
 */
public final class Peers {

  private record Access(Context from, Context to) {}

  private final List<Device> devices;
  private final Set<Access> enabled = ConcurrentHashMap.newKeySet();

  Peers(List<Device> devices) {
    this.devices = devices;
    if (devices.size() > 1) {
      devices.forEach(device -> device.memory().space().beside(new Others(device)));
    }
  }

  /** Lets kernels of one context access the memory of another, on another device. */
  public void enable(Context from, Context to) {
    if (from.device() == to.device()) {
      throw new CudaFailure(
          Result.PEER_ACCESS_UNSUPPORTED, "%s and %s are on one device".formatted(from, to));
    }
    forgetDestroyed();
    if (!enabled.add(new Access(from, to))) {
      throw new CudaFailure(
          Result.PEER_ACCESS_ALREADY_ENABLED, "%s accesses %s already".formatted(from, to));
    }
  }

  /** Undoes {@link #enable}. */
  public void disable(Context from, Context to) {
    if (!enabled.remove(new Access(from, to))) {
      throw notEnabled(from, to);
    }
  }

  /** Refuses to go on where access is not enabled. */
  public void checkEnabled(Context from, Context to) {
    if (!enabled.contains(new Access(from, to))) {
      throw notEnabled(from, to);
    }
  }

  private static CudaFailure notEnabled(Context from, Context to) {
    return new CudaFailure(
        Result.PEER_ACCESS_NOT_ENABLED, "%s does not access %s".formatted(from, to));
  }

  private void forgetDestroyed() {
    enabled.removeIf(access -> access.from().destroyed() || access.to().destroyed());
  }

  private boolean mayAccess(Device from, Device home, Allocation allocation) {
    Block block = home.memory().block(allocation);
    return switch (block.kind()) {
      case PINNED, REGISTERED, MANAGED -> true;
      case POOL -> block.pool() != null && block.pool().accessibleFrom(from.ordinal());
      case DEVICE, MODULE -> isEnabled(from, home, block);
      case VIRTUAL, GRAPH ->
          block.owner() instanceof Readers readers && readers.has(from.ordinal());
    };
  }

  private boolean isEnabled(Device from, Device home, Block block) {
    for (Access access : enabled) {
      boolean live = !access.from().destroyed() && !access.to().destroyed();
      boolean meant =
          block.owner() instanceof Context owner
              ? access.to() == owner
              : access.to().device() == home;
      if (live && meant && access.from().device() == from) {
        return true;
      }
    }
    return false;
  }

  /** What lies beside the memory of one device. */
  private final class Others implements Neighbours {

    private final Device device;

    Others(Device device) {
      this.device = device;
    }

    @Override
    public @Nullable Allocation reachable(long address) {
      for (Device other : devices) {
        Allocation found = other == device ? null : other.memory().space().own(address);
        if (found != null) {
          return mayAccess(device, other, found) ? found : null;
        }
      }
      return null;
    }

    @Override
    public @Nullable Allocation any(long address) {
      for (Device other : devices) {
        Allocation found = other == device ? null : other.memory().space().own(address);
        if (found != null) {
          return found;
        }
      }
      return null;
    }
  }

  /** The device whose memory an address is in, or null. */
  public @Nullable Device home(long address) {
    for (Device device : devices) {
      AddressSpace space = device.memory().space();
      if (space.own(address) != null) {
        return device;
      }
    }
    return null;
  }
}
