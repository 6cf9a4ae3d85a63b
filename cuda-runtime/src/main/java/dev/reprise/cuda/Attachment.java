package dev.reprise.cuda;

import dev.reprise.cuda.ownership.HandleNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * What the parameters of one node, or the whole of a captured graph, refer to. Immutable: other
 * parameters get another attachment. Whoever holds one holds a reference to each of its nodes.
 *
 * @param nodes the driver objects
 * @param facades their façades, kept reachable so that they do not count as leaks
 * @param handles the regions as nodes
 * @param regions the regions as they were when the parameters were given, in the same order
 * @param pointers every pointer
 * @param access what is done, for the check of accesses
 * @param allocated memory that is allocated here, a part of the regions
 * @param freed memory that is freed here, a part of the regions
 */
record Attachment(
    List<HandleNode> nodes,
    Set<Object> facades,
    List<RegionHandle> handles,
    List<Region> regions,
    List<CapturedPointer> pointers,
    NodeAccess access,
    List<GraphMemoryHandle> allocated,
    List<GraphMemoryHandle> freed) {

  /** Takes a reference to each node, or to none. */
  void retain() {
    List<HandleNode> done = new ArrayList<>(nodes.size());
    try {
      for (HandleNode node : nodes) {
        node.retain();
        done.add(node);
      }
    } catch (Throwable e) {
      done.forEach(HandleNode::release);
      throw e;
    }
  }

  /** Gives the references back. */
  void release() {
    nodes.forEach(HandleNode::release);
  }

  /** Gives the references back as soon as {@code user} is done with what it has used until now. */
  void releaseAfter(HandleNode user) {
    nodes.forEach(node -> node.alsoUsedBy(user));
    release();
  }

  boolean isStale() {
    for (int i = 0; i < handles.size(); i++) {
      if (handles.get(i).epoch() != regions.get(i).epoch()) {
        return true;
      }
    }
    return false;
  }

  /** Refuses if a region has changed. */
  void checkFresh(String graph) {
    for (int i = 0; i < handles.size(); i++) {
      Region region = regions.get(i);
      int epoch = handles.get(i).epoch();
      if (epoch != region.epoch()) {
        throw new StaleGraphException(graph, region.label(), region.epoch(), epoch);
      }
    }
  }
}
