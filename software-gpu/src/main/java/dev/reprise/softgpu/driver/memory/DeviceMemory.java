package dev.reprise.softgpu.driver.memory;

import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.driver.support.Result;
import dev.reprise.softgpu.memory.AddressSpace;
import dev.reprise.softgpu.memory.Allocation;
import dev.reprise.softgpu.memory.OutOfDeviceMemoryException;
import dev.reprise.softgpu.memory.PhysicalMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The memory of one device as the driver API sees it: which ranges exist, of which kind, and whose
 * they are. Thread-safe.
 */
public final class DeviceMemory {

  private static final int ALIGNMENT = 256;
  private static final int PAGE = 4096;

  private final AddressSpace space;
  private final Map<Allocation, Block> blocks = new ConcurrentHashMap<>();
  private final Set<Allocation> alwaysSynchronous = ConcurrentHashMap.newKeySet();
  private final AtomicLong ids = new AtomicLong();
  private final VirtualMemory virtual;
  private final GraphMemory graphMemory;
  private final ManagedMemory managed = new ManagedMemory();

  public DeviceMemory(AddressSpace space) {
    this.space = space;
    this.virtual = new VirtualMemory(this);
    this.graphMemory = new GraphMemory(this);
  }

  /** Reserved ranges and what is mapped into them. */
  public VirtualMemory virtual() {
    return virtual;
  }

  /** What is advised about managed memory. */
  public ManagedMemory managed() {
    return managed;
  }

  /** What the allocation nodes of graphs allocate. */
  public GraphMemory graphMemory() {
    return graphMemory;
  }

  /** The addresses that kernels see. */
  public AddressSpace space() {
    return space;
  }

  /** Allocates device memory; {@code CUDA_ERROR_OUT_OF_MEMORY} when it does not fit. */
  public Block allocate(long bytes, Object owner) {
    return add(allocation(bytes, "cuMemAlloc"), MemoryKind.DEVICE, 0, owner, null, null);
  }

  /** Allocates device memory for a pool. */
  public Block allocate(long bytes, Object owner, MemoryPool pool) {
    return add(allocation(bytes, "cuMemAllocAsync"), MemoryKind.POOL, 0, owner, pool, null);
  }

  /**
   * Takes device memory for the driver itself, which no call hands out; {@code
   * CUDA_ERROR_OUT_OF_MEMORY} when it does not fit.
   */
  public Allocation reserve(long bytes, String what) {
    return allocation(bytes, what);
  }

  /** Gives back what {@link #reserve} took. */
  public void giveBack(Allocation reserved) {
    space.free(reserved);
  }

  private Allocation allocation(long bytes, String what) {
    if (bytes <= 0) {
      throw CudaFailure.invalidValue("an allocation of " + Long.toUnsignedString(bytes) + " bytes");
    }
    try {
      return space.allocate(bytes, ALIGNMENT, what);
    } catch (OutOfDeviceMemoryException e) {
      throw new CudaFailure(Result.OUT_OF_MEMORY, String.valueOf(e.getMessage()));
    }
  }

  /** Allocates host memory that kernels see at its own address. */
  public Block allocatePinned(long bytes, int flags, Object owner) {
    return allocateHost(bytes, MemoryKind.PINNED, "cuMemHostAlloc", flags, owner);
  }

  /** Allocates memory that the host and kernels see at one address. */
  public Block allocateManaged(long bytes, int flags, Object owner) {
    Block block = allocateHost(bytes, MemoryKind.MANAGED, "cuMemAllocManaged", flags, owner);
    managed.add(block.allocation());
    return block;
  }

  // The arena belongs to the block and is closed when the block is freed.
  @SuppressWarnings("MustBeClosedChecker")
  private Block allocateHost(long bytes, MemoryKind kind, String what, int flags, Object owner) {
    if (bytes <= 0) {
      throw CudaFailure.invalidValue(what + " of " + bytes + " bytes");
    }
    Arena arena = Arena.ofShared();
    try {
      long address = arena.allocate(bytes, PAGE).address();
      Allocation allocation = space.mapHost(address, bytes, what);
      return add(allocation, kind, flags, owner, null, arena);
    } catch (OutOfMemoryError e) {
      arena.close();
      throw new CudaFailure(Result.OUT_OF_MEMORY, bytes + " bytes by " + what);
    }
  }

  /**
   * Makes a range of imported memory visible to kernels, until it is freed as memory of {@code
   * cuMemAlloc} is. The address is as well aligned as the range.
   */
  // The arena belongs to the block and is closed when the block is freed.
  @SuppressWarnings("MustBeClosedChecker")
  public Block map(Mappable memory, long offset, long bytes, Object owner) {
    Arena arena = Arena.ofShared();
    try {
      MemorySegment mapped = memory.map(offset, bytes, arena);
      long before = offset % PAGE;
      long base = space.reserve(bytes + before, PAGE) + before;
      PhysicalMemory physical = new PhysicalMemory(0, mapped.address(), bytes);
      Allocation shown = space.map(base, bytes, physical, "cuExternalMemoryGetMappedBuffer");
      return add(shown, MemoryKind.DEVICE, 0, owner, null, arena);
    } catch (OutOfDeviceMemoryException e) {
      arena.close();
      throw new CudaFailure(Result.OUT_OF_MEMORY, String.valueOf(e.getMessage()));
    } catch (CudaFailure e) {
      arena.close();
      throw e;
    }
  }

  /** Memory of somebody else, of which ranges can be mapped. */
  @FunctionalInterface
  public interface Mappable {
    /** Maps a range until the arena is closed. */
    MemorySegment map(long offset, long bytes, Arena arena);
  }

  /** Makes memory of the caller visible to kernels at its own address. */
  public Block register(long address, long bytes, int flags, Object owner) {
    if (bytes <= 0 || address + bytes > AddressSpace.FIRST_ADDRESS) {
      throw CudaFailure.invalidValue("no host range: %d bytes at 0x%x".formatted(bytes, address));
    }
    Allocation allocation;
    try {
      allocation = space.mapHost(address, bytes, "cuMemHostRegister");
    } catch (IllegalArgumentException e) {
      throw new CudaFailure(Result.HOST_MEMORY_ALREADY_REGISTERED, String.valueOf(e.getMessage()));
    }
    return add(allocation, MemoryKind.REGISTERED, flags, owner, null, null);
  }

  private Block add(
      Allocation allocation,
      MemoryKind kind,
      int flags,
      Object owner,
      @Nullable MemoryPool pool,
      @Nullable Arena arena) {
    Block block = new Block(allocation, kind, flags, owner, pool, arena, ids.incrementAndGet());
    blocks.put(allocation, block);
    return block;
  }

  /** Takes note of addresses that belong to the device, and of who else can access them. */
  void adopt(Allocation allocation, MemoryKind kind, Readers readers) {
    add(allocation, kind, 0, readers, null, null);
  }

  /** Ends what {@link #adopt} noted. */
  void disown(Allocation allocation) {
    blocks.remove(allocation);
    space.free(allocation);
  }

  /** Has calls without a stream wait for what they do to a block, where they need not. */
  public void alwaysSynchronous(Block block, boolean synchronous) {
    if (synchronous) {
      alwaysSynchronous.add(block.allocation());
    } else {
      alwaysSynchronous.remove(block.allocation());
    }
  }

  /** True for a block of which {@link #alwaysSynchronous(Block, boolean)} was asked. */
  public boolean alwaysSynchronous(Block block) {
    return alwaysSynchronous.contains(block.allocation());
  }

  /** Ends a block. False when it had ended before. */
  public boolean free(Block block) {
    if (!blocks.remove(block.allocation(), block)) {
      return false;
    }
    alwaysSynchronous.remove(block.allocation());
    managed.remove(block.allocation());
    space.free(block.allocation());
    if (block.arena() != null) {
      block.arena().close();
    }
    return true;
  }

  /** The live block of this device that contains an address, or null. */
  public @Nullable Block find(long address) {
    Allocation allocation = space.own(address);
    return allocation == null ? null : block(allocation);
  }

  /** The block of an allocation of this device. */
  public Block block(Allocation allocation) {
    Block block = blocks.get(allocation);
    // What no call handed out is a variable of a module; its address is never used again.
    return block != null
        ? block
        : new Block(allocation, MemoryKind.MODULE, 0, space, null, null, allocation.base());
  }

  /**
   * How many bytes from an address on are mapped, up to a limit: within one allocation, or within
   * mappings of a reserved range that follow each other without a gap.
   */
  public long mapped(long address, long limit) {
    long at = address;
    Allocation allocation = space.locate(at);
    while (allocation != null) {
      long end = allocation.base() + allocation.size();
      if (end - address >= limit) {
        return limit;
      }
      at = end;
      Block block = blocks.get(allocation);
      boolean mayGoOn = block != null && block.kind() == MemoryKind.VIRTUAL;
      allocation = mayGoOn ? space.find(at) : null;
      Block next = allocation == null ? null : blocks.get(allocation);
      if (next == null || next.kind() != MemoryKind.VIRTUAL) {
        break;
      }
    }
    return at - address;
  }

  /** The live block that starts at an address, or null. */
  public @Nullable Block findBase(long address) {
    Block block = find(address);
    return block != null && block.allocation().base() == address ? block : null;
  }

  /** The live blocks that belong to an owner. */
  public List<Block> ownedBy(Object owner) {
    return blocks.values().stream().filter(block -> block.owner().equals(owner)).toList();
  }

  /**
   * Frees all that belongs to an owner, what its graphs allocated included, and gives the number of
   * blocks.
   */
  public int freeAll(Object owner) {
    int freed = 0;
    for (Block block : blocks.values()) {
      if (block.owner().equals(owner) && free(block)) {
        freed++;
      }
    }
    graphMemory.freeAll(owner);
    return freed;
  }
}
