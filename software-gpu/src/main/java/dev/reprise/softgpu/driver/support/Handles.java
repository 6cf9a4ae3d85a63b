package dev.reprise.softgpu.driver.support;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The live objects by handle. Handles are made-up addresses that are never used twice, so a stale
 * one is recognised and never reaches another object. Thread-safe.
 */
public final class Handles {

  private static final int KIND_SHIFT = 40;
  private static final int SPACING_SHIFT = 4;

  private final AtomicLong serial = new AtomicLong();
  private final ConcurrentMap<Long, Handled> objects = new ConcurrentHashMap<>();

  /** A new number with the kind in its upper bits; far from the special handles 0, 1 and 2. */
  long next(HandleKind kind) {
    return (kind.tag() << KIND_SHIFT) | (serial.incrementAndGet() << SPACING_SHIFT);
  }

  /** Makes an object known under its handle. */
  public <T extends Handled> T publish(T object) {
    objects.put(object.handle(), object);
    return object;
  }

  /** Forgets an object; false when it was not known, as after a first call. */
  public boolean remove(Handled object) {
    return objects.remove(object.handle(), object);
  }

  /** The live object of this kind, or null. */
  public <T extends Handled> @Nullable T find(long handle, Class<T> type) {
    Handled object = objects.get(handle);
    return type.isInstance(object) ? type.cast(object) : null;
  }

  /** The live object of this kind; {@code CUDA_ERROR_INVALID_HANDLE} when there is none. */
  public <T extends Handled> T require(long handle, Class<T> type, String argument) {
    T object = find(handle, type);
    if (object == null) {
      throw CudaFailure.invalidHandle(
          "%s 0x%x is no live %s".formatted(argument, handle, type.getSimpleName()));
    }
    return object;
  }

  /** How many objects of a kind are alive. */
  public long count(HandleKind kind) {
    return objects.values().stream().filter(object -> object.kind() == kind).count();
  }
}
