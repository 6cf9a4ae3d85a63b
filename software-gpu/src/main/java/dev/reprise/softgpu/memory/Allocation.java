package dev.reprise.softgpu.memory;

/** One range of device addresses and the native memory behind it. */
public final class Allocation {
  private final long base;
  private final long size;
  private final long host;
  private final long block;
  private final String what;
  private volatile boolean live = true;
  private volatile boolean open = true;

  /** False once its bytes no longer count as used; guarded by the address space. */
  private boolean counted = true;

  /**
   * @param block native block to release when the allocation is freed, 0 where the memory belongs
   *     to somebody else
   */
  Allocation(long base, long size, long host, long block, String what) {
    this.base = base;
    this.size = size;
    this.host = host;
    this.block = block;
    this.what = what;
  }

  /** Device address of byte 0. */
  public long base() {
    return base;
  }

  /** Size in bytes, at least 1. */
  public long size() {
    return size;
  }

  /** Native address of byte 0. */
  public long host() {
    return host;
  }

  /** False once freed. A freed allocation never becomes live again. */
  public boolean live() {
    return live;
  }

  /** Whether kernels of its own device can access it; those of others may either way. */
  public boolean open() {
    return open;
  }

  /** Lets kernels of its own device access it, as they can at first, or no longer. */
  public void open(boolean accessible) {
    open = accessible;
  }

  /** What the allocator was told it is for. */
  public String what() {
    return what;
  }

  /**
   * Whether all of {@code [address, address + bytes)} lies inside. {@code bytes} must not be
   * negative.
   */
  public boolean contains(long address, long bytes) {
    long offset = address - base;
    return offset >= 0 && offset <= size - bytes;
  }

  boolean mapped() {
    return block == 0;
  }

  long block() {
    return block;
  }

  void retire() {
    live = false;
  }

  /** True the first time: its bytes stop counting. */
  boolean discount() {
    boolean first = counted;
    counted = false;
    return first;
  }

  @Override
  public String toString() {
    return String.format("%s [0x%x, 0x%x), %d bytes", what, base, base + size, size);
  }
}
