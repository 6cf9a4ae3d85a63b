package dev.reprise.graph.adapter;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Which adapter is in which slot, and how often it is in use. Any thread. */
public final class AdapterRegistry {

  private final @Nullable String[] names;
  private final boolean[] ready;
  private final int[] users;
  private final long[] generations;
  private long loaded;

  AdapterRegistry(int slots) {
    names = new @Nullable String[slots];
    ready = new boolean[slots];
    users = new int[slots];
    generations = new long[slots];
  }

  /** How many adapters there is room for. */
  public int slots() {
    return names.length;
  }

  /** The adapters that are loaded, in order of their slots. */
  public synchronized List<String> names() {
    return IntStream.range(0, names.length)
        .filter(slot -> ready[slot])
        .mapToObj(slot -> Objects.requireNonNull(names[slot]))
        .toList();
  }

  /**
   * Uses an adapter until the lease is closed.
   *
   * @throws AdapterException if none of that name is loaded
   */
  public synchronized AdapterLease lease(String name) {
    int slot = Arrays.asList(names).indexOf(name);
    if (slot < 0 || !ready[slot]) {
      throw new AdapterException(
          "no adapter '%s' is loaded; there are %s".formatted(name, names()));
    }
    users[slot]++;
    return new AdapterLease(this, name, slot, generations[slot]);
  }

  /** Takes a free slot for an adapter that is about to be loaded. */
  synchronized int take(String name) {
    if (Arrays.asList(names).contains(name)) {
      throw new AdapterException("Adapter '%s' is loaded already; unload it first".formatted(name));
    }
    int slot = Arrays.asList(names).indexOf(null);
    if (slot < 0) {
      throw new AdapterException(
          "All %d adapter slots are taken, by %s; unload one of them before '%s'"
              .formatted(names.length, names(), name));
    }
    names[slot] = name;
    generations[slot] = ++loaded;
    return slot;
  }

  /** The slot holds the adapter now. */
  synchronized void ready(int slot) {
    ready[slot] = true;
  }

  /** The slot could not be written; it is free again. */
  synchronized void failed(int slot) {
    names[slot] = null;
  }

  /**
   * Frees the slot of an adapter.
   *
   * @throws AdapterException if none of that name is loaded, or requests use it
   */
  synchronized void remove(String name) {
    int slot = Arrays.asList(names).indexOf(name);
    if (slot < 0 || !ready[slot]) {
      throw new AdapterException(
          "No adapter '%s' is loaded; there are %s".formatted(name, names()));
    }
    if (users[slot] > 0) {
      throw new AdapterException(
          "Adapter '%s' is used by %d requests; wait for their ends, or cancel them"
              .formatted(name, users[slot]));
    }
    names[slot] = null;
    ready[slot] = false;
  }

  void released(int slot) {
    users[slot]--;
  }
}
