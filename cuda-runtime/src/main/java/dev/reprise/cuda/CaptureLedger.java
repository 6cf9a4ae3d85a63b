package dev.reprise.cuda;

import dev.reprise.cuda.ownership.HandleNode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/**
 * What a capture has used: every object, retained once, and every pointer as a region and an
 * offset. Used by the capturing thread only.
 */
final class CaptureLedger {

  private final Set<HandleNode> retained = Collections.newSetFromMap(new IdentityHashMap<>());
  private final Set<Object> facades = Collections.newSetFromMap(new IdentityHashMap<>());
  private final IdentityHashMap<RegionHandle, Region> regions = new IdentityHashMap<>();
  private final List<RegionHandle> regionOrder = new ArrayList<>();
  private final List<CapturedPointer> pointers = new ArrayList<>();

  /** Keeps an object of the driver alive, and its façade reachable. */
  void retain(Object facade, HandleNode node) {
    if (retained.add(node)) {
      node.retain();
      facades.add(facade);
    }
  }

  void pointer(
      String operation,
      int argument,
      Object facade,
      RegionHandle handle,
      long offset,
      Access access) {
    retain(facade, handle);
    Region region = regions.get(handle);
    if (region == null) {
      region = new Region(handle.label(), handle.address(), handle.size(), handle.epoch());
      regions.put(handle, region);
      regionOrder.add(handle);
    }
    pointers.add(new CapturedPointer(operation, argument, region, offset, access));
  }

  /** Lets everything go; the capture failed. */
  void release() {
    retained.forEach(HandleNode::release);
    retained.clear();
  }

  /** What a graph keeps of the capture; the references pass to its node. */
  Captured captured() {
    return new Captured(
        List.copyOf(retained),
        Set.copyOf(facades),
        List.copyOf(regionOrder),
        regionOrder.stream().map(regions::get).toList(),
        List.copyOf(pointers));
  }

  /**
   * What a graph owns.
   *
   * @param nodes the driver objects, retained
   * @param facades their façades, kept reachable so that they do not count as leaks
   * @param handles the regions as nodes
   * @param regions the regions as they were captured, in the same order
   * @param pointers every pointer
   */
  record Captured(
      List<HandleNode> nodes,
      Set<Object> facades,
      List<RegionHandle> handles,
      List<Region> regions,
      List<CapturedPointer> pointers) {}
}
