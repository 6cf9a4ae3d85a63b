package dev.reprise.cuda;

import dev.reprise.cuda.ownership.HandleNode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/**
 * What a capture, or the parameters of one node, use: every object, retained once, and every
 * pointer as a region and an offset. Used by one thread only.
 */
final class CaptureLedger {

  private final Set<HandleNode> retained = Collections.newSetFromMap(new IdentityHashMap<>());
  private final Set<Object> facades = Collections.newSetFromMap(new IdentityHashMap<>());
  private final IdentityHashMap<RegionHandle, Region> regions = new IdentityHashMap<>();
  private final List<RegionHandle> regionOrder = new ArrayList<>();
  private final List<CapturedPointer> pointers = new ArrayList<>();
  private final List<GraphMemoryHandle> allocated = new ArrayList<>();
  private final List<GraphMemoryHandle> freed = new ArrayList<>();

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
    Region region = region(facade, handle);
    pointers.add(new CapturedPointer(operation, argument, region, offset, access));
  }

  private Region region(Object facade, RegionHandle handle) {
    retain(facade, handle);
    Region region = regions.get(handle);
    if (region == null) {
      region = new Region(handle.label(), handle.address(), handle.size(), handle.epoch());
      regions.put(handle, region);
      regionOrder.add(handle);
    }
    return region;
  }

  /** Notes memory that the operation allocates. */
  void allocates(GraphMemoryHandle memory) {
    region(memory.buffer(), memory);
    allocated.add(memory);
  }

  /** Notes memory that the operation frees. */
  void frees(GraphMemoryHandle memory) {
    region(memory.buffer(), memory);
    freed.add(memory);
  }

  /** Adds all that another graph uses, which becomes part of this one. */
  void addAll(GraphContents other) {
    for (Attachment attachment : other.all()) {
      for (HandleNode node : attachment.nodes()) {
        if (retained.add(node)) {
          node.retain();
        }
      }
      facades.addAll(attachment.facades());
      for (int i = 0; i < attachment.handles().size(); i++) {
        if (regions.putIfAbsent(attachment.handles().get(i), attachment.regions().get(i)) == null) {
          regionOrder.add(attachment.handles().get(i));
        }
      }
      pointers.addAll(attachment.pointers());
    }
  }

  /** Lets everything go; the capture or the call failed. */
  void release() {
    retained.forEach(HandleNode::release);
    retained.clear();
  }

  /** What a graph keeps of it; the references pass to the graph. */
  Attachment captured() {
    return new Attachment(
        List.copyOf(retained),
        Set.copyOf(facades),
        List.copyOf(regionOrder),
        regionOrder.stream().map(regions::get).toList(),
        List.copyOf(pointers),
        List.copyOf(allocated),
        List.copyOf(freed));
  }
}
