package dev.reprise.cuda;

import dev.reprise.cuda.access.AccessHistory;
import dev.reprise.cuda.access.AccessSite;
import dev.reprise.cuda.access.DeclaredUse;
import dev.reprise.cuda.access.Extent;
import dev.reprise.cuda.diagnostics.ResourceKind;
import dev.reprise.cuda.ownership.HandleNode;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Memory that graphs may capture by its address. Its epoch changes when the address stops being
 * good for what the program calls by this label, so that graphs which hold it become stale.
 */
abstract class RegionHandle extends HandleNode {

  private final Context context;
  private final long address;
  private volatile long size;

  private final Set<RegionWatch> watches = Collections.newSetFromMap(new WeakHashMap<>());
  private volatile int epoch;

  /** Its uses, while those are checked; guarded by the watches. */
  private @Nullable AccessHistory history;

  RegionHandle(ResourceKind kind, String label, DeviceHandle device, long address, long size) {
    this(kind, label, device.context(), List.of(device), address, size);
  }

  /** Memory that something other than the device keeps; the caller has retained it. */
  RegionHandle(
      ResourceKind kind,
      String label,
      Context context,
      List<? extends HandleNode> retainedParents,
      long address,
      long size) {
    super(kind, label, context.retirement(), retainedParents);
    this.context = context;
    this.address = address;
    this.size = size;
  }

  final Context context() {
    return context;
  }

  final long address() {
    return address;
  }

  final long size() {
    return size;
  }

  @Override
  protected final long memoryBytes() {
    return size;
  }

  final int epoch() {
    return epoch;
  }

  /** Orders its uses; null where the program does. */
  @Nullable AutomaticOrder order() {
    return null;
  }

  /** Refuses what a graph cannot use. */
  final void checkForGraph() {
    if (order() != null) {
      throw new IllegalStateException(
          "Buffer '%s' has automatic order, so a graph cannot use it: events outside of a graph do not order its nodes. Allocate it without, and order replays by events of your own."
              .formatted(label()));
    }
  }

  /** Closes the buffer that stands for it. */
  void closeFacade() {
    close();
  }

  @Override
  protected void closing() {
    changeEpoch();
  }

  /** Makes every graph stale that holds this memory now. */
  final void changeEpoch() {
    synchronized (watches) {
      epoch = epoch + 1;
      watches.forEach(RegionWatch::regionChanged);
    }
  }

  /** Has changes of the epoch reported, until the watch is ended or collected. */
  final void watch(RegionWatch watch) {
    synchronized (watches) {
      watches.add(watch);
    }
  }

  /** Undoes {@link #watch}. */
  final void unwatch(RegionWatch watch) {
    synchronized (watches) {
      watches.remove(watch);
    }
  }

  /** How far an operation that is given a pointer may reach; the size, unless that may grow. */
  long reach() {
    return size;
  }

  /** Everything from an offset on. */
  final Extent from(long offset) {
    return Extent.of(offset, Math.max(0, reach() - offset));
  }

  /** Its uses by an operation that is not in a graph, for the check of accesses. */
  final List<DeclaredUse> uses(
      String operation, int argument, Access access, List<Extent> extents) {
    return uses(operation, argument, access, extents, "", null);
  }

  /** Its uses by an operation. */
  final List<DeclaredUse> uses(
      String operation,
      int argument,
      Access access,
      List<Extent> extents,
      String stream,
      @Nullable AccessSite added) {
    return extents.stream()
        .map(extent ->
            new DeclaredUse(
                history(),
                extent,
                access.reads(),
                access.writes(),
                operation,
                argument,
                stream,
                added))
        .toList();
  }

  /** What is known of its uses, for the check of accesses. */
  AccessHistory history() {
    synchronized (watches) {
      AccessHistory known = history;
      if (known == null) {
        known = new AccessHistory(this, this::size);
        history = known;
      }
      return known;
    }
  }

  /** Changes how many bytes from the address on are memory. */
  final void resize(long bytes) {
    size = bytes;
  }

  /** Checks that a range lies in the memory. */
  final void checkRange(String operation, long offset, long bytes) {
    long size = this.size;
    if (offset < 0 || bytes < 0 || offset > size - bytes) {
      throw new IndexOutOfBoundsException(
          "%s: bytes %d to %d are outside %s '%s' of %d bytes."
              .formatted(operation, offset, offset + bytes, kind().typeName(), label(), size));
    }
  }
}
