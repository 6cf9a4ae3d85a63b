package dev.reprise.graph.adapter;

import dev.reprise.cuda.Device;
import dev.reprise.cuda.DeviceBuffer;
import dev.reprise.cuda.PreparedLaunch;
import dev.reprise.cuda.Stream;
import dev.reprise.kernels.AdapterSlots;
import dev.reprise.kernels.Kernels;
import dev.reprise.kernels.Span;
import dev.reprise.kernels.WeightType;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The device memory of adapters, at fixed addresses, in f32: for each projection of a model and
 * each slot an A and a B of the largest rank, the rank that is used, and a scale. A projection that
 * an adapter does not have has rank 0.
 *
 * <p>Loading writes in stream order: steps that were launched before still read what was there. One
 * thread; not allowed during a capture.
 */
public final class AdapterPool implements AutoCloseable {

  private static final long ALIGNMENT = 256;
  private static final WeightType TYPE = WeightType.F32;

  private record Place(AdapterProjection projection, AdapterSlots slots) {}

  private final AdapterOptions options;
  private final AdapterRegistry registry;
  private final Map<String, Place> places = new LinkedHashMap<>();
  private final DeviceBuffer buffer;
  private final Span low;

  /**
   * @param projections of the model
   * @param maxRows rows of the largest step
   * @throws IllegalArgumentException if the model has no projections for adapters
   */
  public AdapterPool(
      Device device, List<AdapterProjection> projections, AdapterOptions options, int maxRows) {
    if (options.slots() < 1 || projections.isEmpty()) {
      throw new IllegalArgumentException(
          "%d adapter slots for %d projections: adapters need both"
              .formatted(options.slots(), projections.size()));
    }
    this.options = options;
    this.registry = new AdapterRegistry(options.slots());
    long lowBytes = (long) maxRows * options.maxRank() * Float.BYTES;
    long bytes = aligned(lowBytes);
    for (AdapterProjection p : projections) {
      bytes += aligned(matrix(p.in())) + aligned(matrix(p.out())) + 2 * aligned(words());
    }
    buffer = device.allocate("adapters", bytes);
    low = new Span(buffer, 0, lowBytes);
    long at = aligned(lowBytes);
    for (AdapterProjection p : projections) {
      Span a = new Span(buffer, at, matrix(p.in()));
      at += aligned(a.bytes());
      Span b = new Span(buffer, at, matrix(p.out()));
      at += aligned(b.bytes());
      Span ranks = new Span(buffer, at, words());
      at += aligned(words());
      Span scales = new Span(buffer, at, words());
      at += aligned(words());
      places.put(
          p.name(),
          new Place(
              p, new AdapterSlots(TYPE, a, b, ranks, scales, options.slots(), options.maxRank())));
    }
  }

  private long matrix(int width) {
    return (long) options.slots() * options.maxRank() * width * TYPE.bytes();
  }

  private long words() {
    return (long) options.slots() * Integer.BYTES;
  }

  private static long aligned(long bytes) {
    return Math.ceilDiv(bytes, ALIGNMENT) * ALIGNMENT;
  }

  /** Which adapters are loaded. */
  public AdapterRegistry registry() {
    return registry;
  }

  /** The part of a graph key that says how adapters are kept. */
  public String signature() {
    return "%d slots of rank %d, %s".formatted(options.slots(), options.maxRank(), TYPE);
  }

  /** All slots, as they lie in memory. */
  Span memory() {
    return Span.of(buffer);
  }

  /** Bytes on the device. */
  public long bytes() {
    return buffer.size();
  }

  /**
   * The two launches that add the adapters of a step's rows to one product.
   *
   * @param projection which product
   * @param x f32 {@code [rows][in]}, what went in
   * @param adapters i32 {@code [rows]}, −1 for none
   * @param positions i32 {@code [rows]}, negative for padding
   * @param y f32 {@code [rows][out]}, what came out, changed
   */
  public List<PreparedLaunch> launches(
      Kernels kernels,
      String projection,
      Span x,
      Span adapters,
      Span positions,
      Span y,
      Span status,
      int rows) {
    Place place = place(projection);
    AdapterProjection p = place.projection;
    return List.of(
        kernels.adapters().shrink(place.slots, x, adapters, positions, low, status, rows, p.in()),
        kernels.adapters().expand(place.slots, low, adapters, positions, y, status, rows, p.out()));
  }

  private Place place(String projection) {
    Place place = places.get(projection);
    if (place == null) {
      throw new AdapterException(
          "The model has no projection '%s'; it has %s".formatted(projection, places.keySet()));
    }
    return place;
  }

  /**
   * Writes an adapter into a free slot; returns when it is there.
   *
   * @throws AdapterException if it does not fit the model, if its name is taken, or if no slot is
   *     free; nothing has changed then
   */
  public void load(Stream stream, String name, AdapterWeights weights) {
    weights.projections().forEach((projection, low) -> check(name, projection, low));
    int slot = registry.take(name);
    try {
      for (Place place : places.values()) {
        LowRankWeights low = weights.projections().get(place.projection.name());
        if (low == null) {
          // The scale too, which multiplies the nothing that rank 0 gives: memory may hold a NaN.
          stream.write(new int[] {0}, buffer, word(place.slots.ranks(), slot));
          stream.write(new float[] {0}, buffer, word(place.slots.scales(), slot));
        } else {
          write(stream, place, slot, low);
        }
      }
    } catch (RuntimeException e) {
      registry.failed(slot);
      throw e;
    }
    registry.ready(slot);
  }

  private void check(String name, String projection, LowRankWeights low) {
    AdapterProjection p = place(projection).projection;
    if (low.rank() > options.maxRank()) {
      throw new AdapterException(
          "Adapter '%s' has rank %d at %s; the slots have room for %d"
              .formatted(name, low.rank(), projection, options.maxRank()));
    }
    long a = (long) low.rank() * p.in();
    long b = (long) low.rank() * p.out();
    if (low.a().length != a || low.b().length != b) {
      throw new AdapterException(
          "Adapter '%s' has %d and %d weights at %s; rank %d of %d to %d needs %d and %d"
              .formatted(
                  name,
                  low.a().length,
                  low.b().length,
                  projection,
                  low.rank(),
                  p.in(),
                  p.out(),
                  a,
                  b));
    }
  }

  private void write(Stream stream, Place place, int slot, LowRankWeights low) {
    int rank = low.rank();
    int out = place.projection.out();
    float[] outputsOfRank = new float[rank * out];
    for (int o = 0; o < out; o++) {
      for (int r = 0; r < rank; r++) {
        outputsOfRank[r * out + o] = low.b()[o * rank + r];
      }
    }
    AdapterSlots slots = place.slots;
    stream.write(low.a(), buffer, slots.a().offset() + slots.a().bytes() / slots.slots() * slot);
    stream.write(
        outputsOfRank, buffer, slots.b().offset() + slots.b().bytes() / slots.slots() * slot);
    stream.write(new float[] {low.scale()}, buffer, word(slots.scales(), slot));
    stream.write(new int[] {rank}, buffer, word(slots.ranks(), slot));
  }

  private static long word(Span words, int slot) {
    return words.offset() + (long) slot * Integer.BYTES;
  }

  /**
   * Frees the slot of an adapter.
   *
   * @throws AdapterException if none of that name is loaded, or requests use it
   */
  public void unload(String name) {
    registry.remove(name);
  }

  @Override
  public void close() {
    buffer.close();
  }
}
