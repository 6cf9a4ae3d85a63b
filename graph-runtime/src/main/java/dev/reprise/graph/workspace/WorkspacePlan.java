package dev.reprise.graph.workspace;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Names and sizes of the intermediate values of a step, for the largest step that will run.
 *
 * <p>Each gets its own aligned place, so that no two are ever the same memory.
 */
public final class WorkspacePlan {

  /** Every place begins at a multiple of this many bytes: a full line of any vector load. */
  static final long ALIGNMENT = 256;

  record Place(long offset, long bytes) {}

  private final Map<String, Place> places = new LinkedHashMap<>();
  private long bytes;

  /**
   * Adds a value.
   *
   * @throws IllegalArgumentException if the name is taken or the size is not positive
   */
  public WorkspacePlan add(String name, long size) {
    if (size <= 0) {
      throw new IllegalArgumentException("Workspace '" + name + "' has no size: " + size);
    }
    if (places.putIfAbsent(name, new Place(bytes, size)) != null) {
      throw new IllegalArgumentException("Workspace '" + name + "' is planned twice");
    }
    bytes = Math.addExact(bytes, Math.ceilDiv(size, ALIGNMENT) * ALIGNMENT);
    return this;
  }

  /** Bytes of the whole workspace. */
  public long bytes() {
    return bytes;
  }

  List<String> names() {
    return List.copyOf(places.keySet());
  }

  Place place(String name) {
    Place place = places.get(name);
    if (place == null) {
      throw new IllegalArgumentException(
          "No workspace '" + name + "' is planned, only " + places.keySet());
    }
    return place;
  }
}
