package dev.reprise.cuda;

import dev.reprise.cuda.access.AccessHistory;
import dev.reprise.cuda.access.AccessSite;
import dev.reprise.cuda.access.DeclaredUse;
import dev.reprise.cuda.access.Extent;
import dev.reprise.cuda.ownership.HandleNode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

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

  // For the check of accesses.
  private final List<DeclaredUse> uses = new ArrayList<>();
  private final List<NodeAccess.Signal> signals = new ArrayList<>();
  private final List<EventHandle> records = new ArrayList<>();
  private final List<EventHandle> waits = new ArrayList<>();
  private boolean awaits;
  private @Nullable AccessSite site;

  /** The stream that the operation is captured from; empty for a node that is added. */
  private String stream = "";

  /** Names the stream of the operation to come. */
  void issuedTo(Stream captured) {
    stream = captured.label();
  }

  /** Keeps an object of the driver alive, and its façade reachable. */
  void retain(Object facade, HandleNode node) {
    if (retained.add(node)) {
      node.retain();
      facades.add(facade);
    }
  }

  /** Notes a pointer; {@link #use} tells what is used behind it. */
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
    handle.checkForGraph();
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

  /** Notes what is used behind a pointer, for the check of accesses. */
  void use(
      String operation, int argument, RegionHandle handle, Access access, List<Extent> extents) {
    uses.addAll(handle.uses(operation, argument, access, extents, stream, site(operation)));
  }

  private AccessSite site(String operation) {
    AccessSite known = site;
    if (known == null) {
      known = new AccessSite(operation + " was added to the graph here");
      site = known;
    }
    return known;
  }

  /** Notes that a number is written which streams wait for. */
  void signals(RegionHandle handle, long offset, long value) {
    signals.add(new NodeAccess.Signal(handle.history(), offset, value));
  }

  /** Notes that a number is signalled which streams wait for. */
  void signals(AccessHistory history, long offset, long value) {
    signals.add(new NodeAccess.Signal(history, offset, value));
  }

  /** Notes a wait for a number. */
  void awaits() {
    awaits = true;
  }

  /** Notes a node that records an event. */
  void records(EventHandle event) {
    records.add(event);
  }

  /** Notes a node that waits for an event. */
  void waits(EventHandle event) {
    waits.add(event);
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
      NodeAccess access = attachment.access();
      uses.addAll(access.uses());
      signals.addAll(access.signals());
      records.addAll(access.records());
      waits.addAll(access.waits());
      awaits |= access.awaits();
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
        new NodeAccess(
            List.copyOf(uses),
            List.copyOf(signals),
            awaits,
            List.copyOf(records),
            List.copyOf(waits)),
        List.copyOf(allocated),
        List.copyOf(freed));
  }
}
