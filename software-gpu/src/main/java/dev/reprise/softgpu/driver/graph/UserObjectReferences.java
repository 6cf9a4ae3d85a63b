package dev.reprise.softgpu.driver.graph;

import dev.reprise.softgpu.driver.support.CudaFailure;
import java.util.LinkedHashMap;
import java.util.Map;

/** The references to user objects that one graph or executable graph owns. */
final class UserObjectReferences {

  private final Map<UserObject, Long> counts = new LinkedHashMap<>();

  /** Takes over references that the caller already counted. */
  void add(UserObject object, long count) {
    counts.merge(object, count, Long::sum);
  }

  /** Gives references back; more than are owned is {@code CUDA_ERROR_INVALID_VALUE}. */
  void release(UserObject object, long count) {
    long owned = counts.getOrDefault(object, 0L);
    if (count > owned) {
      throw CudaFailure.invalidValue(
          "the graph owns %d references of %s, not %d".formatted(owned, object, count));
    }
    if (count == owned) {
      counts.remove(object);
    } else {
      counts.put(object, owned - count);
    }
    object.release(count);
  }

  /** Retains for another owner all that this one has. */
  void copyTo(UserObjectReferences other) {
    counts.forEach((object, count) -> {
      object.retain(count);
      other.add(object, count);
    });
  }

  /**
   * Takes what another owner has in place of what this one has; gives what it had, which the caller
   * is to release.
   */
  UserObjectReferences replaceBy(UserObjectReferences other) {
    UserObjectReferences old = new UserObjectReferences();
    old.counts.putAll(counts);
    counts.clear();
    other.copyTo(this);
    return old;
  }

  void releaseAll() {
    counts.forEach(UserObject::release);
    counts.clear();
  }
}
