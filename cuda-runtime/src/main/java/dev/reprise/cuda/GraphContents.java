package dev.reprise.cuda;

import dev.reprise.cuda.access.DeclaredUse;
import dev.reprise.cuda.ownership.HandleNode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What a graph or an executable graph owns, by node as far as that is known. Guarded by the lock of
 * its owner.
 */
final class GraphContents {

  private final List<Attachment> whole;
  private final Map<Long, Attachment> byNode;

  /** The contents of the bodies of conditional nodes. */
  private final Map<Long, List<GraphContents>> bodies = new LinkedHashMap<>();

  private GraphContents(List<Attachment> whole, Map<Long, Attachment> byNode) {
    this.whole = whole;
    this.byNode = byNode;
  }

  /** Nothing. */
  static GraphContents empty() {
    return new GraphContents(new ArrayList<>(), new LinkedHashMap<>());
  }

  /** Notes what no single node uses, whose references are taken over. */
  void add(Attachment uses) {
    whole.add(uses);
  }

  /** The contents, still empty, of a body of a node; they are part of these. */
  GraphContents body(long node) {
    GraphContents body = empty();
    bodies.computeIfAbsent(node, any -> new ArrayList<>()).add(body);
    return body;
  }

  /** Takes over all that another has, and its references. */
  void takeOver(GraphContents other) {
    whole.addAll(other.whole);
    other.whole.clear();
    byNode.putAll(other.byNode);
    other.byNode.clear();
  }

  /** The same once more, with references of its own; what bodies have is known by node, too. */
  GraphContents copy() {
    return copy(node -> node);
  }

  /** The same once more, for a graph whose nodes have other handles. */
  GraphContents copy(LongUnaryOperator translation) {
    Map<Long, Attachment> translated = new LinkedHashMap<>();
    List<Attachment> all = new ArrayList<>();
    copyInto(all, translated, translation);
    retain(all());
    return new GraphContents(all, translated);
  }

  private void copyInto(
      List<Attachment> all, Map<Long, Attachment> translated, LongUnaryOperator translation) {
    all.addAll(whole);
    byNode.forEach((node, uses) -> translated.put(translation.applyAsLong(node), uses));
    allBodies().forEach(body -> body.copyInto(all, translated, translation));
  }

  private List<GraphContents> allBodies() {
    return bodies.values().stream().flatMap(List::stream).toList();
  }

  private static void retain(Collection<Attachment> attachments) {
    List<Attachment> done = new ArrayList<>();
    try {
      for (Attachment attachment : attachments) {
        attachment.retain();
        done.add(attachment);
      }
    } catch (Throwable e) {
      done.forEach(Attachment::release);
      throw e;
    }
  }

  /** Notes what a node uses, whose references are taken over; gives what it used before. */
  @Nullable Attachment put(long node, Attachment uses) {
    return byNode.put(node, uses);
  }

  /**
   * Gives a node other parameters: what they use is owned before the driver has them, and the old
   * ones stay if that fails.
   *
   * @param enter enters what they use
   * @param set has the driver take them
   * @return what the old parameters used, whose references pass to the caller
   */
  @Nullable Attachment change(long node, Consumer<CaptureLedger> enter, Runnable set) {
    CaptureLedger uses = new CaptureLedger();
    try {
      enter.accept(uses);
      set.run();
    } catch (Throwable e) {
      uses.release();
      throw e;
    }
    return put(node, uses.captured());
  }

  /** Forgets a node; its references pass to the caller. */
  @Nullable Attachment remove(long node) {
    return byNode.remove(node);
  }

  /** Forgets the bodies of a node and gives back what they had. */
  void releaseBodies(long node) {
    List<GraphContents> gone = bodies.remove(node);
    if (gone != null) {
      gone.forEach(GraphContents::release);
    }
  }

  /** What one node uses, as far as that is known by node. */
  @Nullable Attachment of(long node) {
    return byNode.get(node);
  }

  /** What a node and its bodies do with memory, as far as that is known by node. */
  List<DeclaredUse> usesWithin(long node) {
    List<DeclaredUse> uses = new ArrayList<>();
    Attachment own = byNode.get(node);
    if (own != null) {
      uses.addAll(own.access().uses());
    }
    for (GraphContents body : bodies.getOrDefault(node, List.of())) {
      body.all().forEach(attachment -> uses.addAll(attachment.access().uses()));
    }
    return uses;
  }

  /**
   * Takes all of another's contents, retained by the caller, in place of its own, which it gives
   * back once {@code user} is done with them.
   */
  void replaceBy(GraphContents other, HandleNode user) {
    List<Attachment> old = all();
    whole.clear();
    whole.addAll(other.all());
    byNode.clear();
    old.forEach(attachment -> attachment.releaseAfter(user));
  }

  /** Everything, in the order in which it was added. */
  List<Attachment> all() {
    List<Attachment> all = new ArrayList<>(whole);
    all.addAll(byNode.values());
    allBodies().forEach(body -> all.addAll(body.all()));
    return all;
  }

  /** As {@link #all}, without what only some nodes use. */
  List<Attachment> allBut(Set<Long> nodes) {
    List<Attachment> rest = new ArrayList<>(whole);
    byNode.forEach((node, uses) -> {
      if (!nodes.contains(node)) {
        rest.add(uses);
      }
    });
    return rest;
  }

  /** The regions, each once. */
  List<Region> regions() {
    Set<Region> regions = new LinkedHashSet<>();
    all().forEach(attachment -> regions.addAll(attachment.regions()));
    return List.copyOf(regions);
  }

  /** Every pointer. */
  List<CapturedPointer> pointers() {
    return all().stream().flatMap(attachment -> attachment.pointers().stream()).toList();
  }

  /** Whether there are host functions among it. */
  boolean callHost() {
    return all().stream()
        .flatMap(uses -> uses.nodes().stream())
        .anyMatch(HostFunctionHandle.class::isInstance);
  }

  /** Whether it allocates or frees memory. */
  boolean ofMemory() {
    return all().stream().anyMatch(uses -> !uses.allocated().isEmpty() || !uses.freed().isEmpty());
  }

  /** Whether it allocates this memory. */
  boolean allocates(GraphMemoryHandle memory) {
    return all().stream().anyMatch(uses -> uses.allocated().contains(memory));
  }

  /** Whether it frees this memory. */
  boolean frees(GraphMemoryHandle memory) {
    return all().stream().anyMatch(uses -> uses.freed().contains(memory));
  }

  /** The memory that it allocates. */
  List<GraphMemoryHandle> allocated() {
    return all().stream().flatMap(uses -> uses.allocated().stream()).toList();
  }

  /** Refuses what the driver does not do with graphs that allocate or free memory. */
  void refuseMemory(String graph, String done) {
    if (ofMemory()) {
      throw new IllegalStateException(
          "Graph '%s' allocates or frees memory, so it cannot be %s (CUDA Driver API, cuGraphAddMemAllocNode)."
              .formatted(graph, done));
    }
  }

  /** Closes the buffers of the memory that it allocates; the graph is gone. */
  void closeMemory() {
    allocated().forEach(GraphMemoryHandle::closeWithGraph);
  }

  /** Gives everything back. */
  void release() {
    List<Attachment> all = all();
    whole.clear();
    byNode.clear();
    bodies.clear();
    all.forEach(Attachment::release);
  }
}
