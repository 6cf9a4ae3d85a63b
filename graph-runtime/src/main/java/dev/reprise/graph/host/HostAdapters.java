package dev.reprise.graph.host;

import dev.reprise.graph.adapter.AdapterWeights;
import dev.reprise.graph.decode.DecodeEngine;
import java.util.List;
import java.util.function.Supplier;

/** The adapters of a {@link DecodeHost}: loaded and unloaded between steps. Any thread. */
public final class HostAdapters {

  /** Asks on the thread of the host, and waits for the answer. */
  interface Asking {
    <T> T ask(Supplier<T> question);
  }

  private final DecodeEngine engine;
  private final Asking host;

  HostAdapters(DecodeEngine engine, Asking host) {
    this.engine = engine;
    this.host = host;
  }

  /**
   * Loads an adapter into a free slot; when this returns, requests can name it. Nothing is captured
   * again for it.
   *
   * @throws dev.reprise.graph.adapter.AdapterException if it does not fit the model, if its name is
   *     taken, or if no slot is free
   */
  public void load(String name, AdapterWeights weights) {
    host.ask(() -> {
      engine.loadAdapter(name, weights);
      return true;
    });
  }

  /**
   * Frees the slot of an adapter.
   *
   * @throws dev.reprise.graph.adapter.AdapterException if none of that name is loaded, or requests
   *     that have not ended use it
   */
  public void unload(String name) {
    host.ask(() -> {
      engine.unloadAdapter(name);
      return true;
    });
  }

  /** The adapters that are loaded. */
  public List<String> names() {
    return engine.adapters().names();
  }
}
