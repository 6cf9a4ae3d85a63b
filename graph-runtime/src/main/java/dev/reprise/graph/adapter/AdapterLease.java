package dev.reprise.graph.adapter;

/**
 * An adapter in use: it is not unloaded before all its leases are closed. Any thread; closing twice
 * does nothing.
 */
public final class AdapterLease implements AutoCloseable {

  private final AdapterRegistry registry;
  private final String name;
  private final int slot;
  private final long generation;
  private boolean closed;

  AdapterLease(AdapterRegistry registry, String name, int slot, long generation) {
    this.registry = registry;
    this.name = name;
    this.slot = slot;
    this.generation = generation;
  }

  /** The adapter's name. */
  public String name() {
    return name;
  }

  /**
   * The slot, as rows name it.
   *
   * @throws AdapterException if the lease is closed: the slot may hold another adapter
   */
  public int slot() {
    synchronized (registry) {
      if (closed) {
        throw new AdapterException(
            "Adapter '%s' was given back; what slot %d holds now is another's"
                .formatted(name, slot));
      }
      return slot;
    }
  }

  /** Equal only for what was loaded at the same time: a name may be loaded again with others. */
  public String identity() {
    return name + "#" + generation;
  }

  @Override
  public void close() {
    synchronized (registry) {
      if (!closed) {
        closed = true;
        registry.released(slot);
      }
    }
  }
}
