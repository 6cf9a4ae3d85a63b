package dev.reprise.cuda;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a replay of one exec does to the memory of graphs, its own and others'. Guarded by the lock
 * of the exec; allocates nothing once it is made.
 */
final class GraphMemoryUse {

  private final boolean autoFree;

  /** Used or freed, and not allocated by this exec. */
  private final GraphMemoryHandle[] needs;

  /** Allocated and not freed. */
  private final GraphMemoryHandle[] leaves;

  /** Freed, and not allocated by this exec. */
  private final GraphMemoryHandle[] frees;

  /** What of {@link #leaves} was allocated before the replay in progress. */
  private final boolean[] before;

  private GraphMemoryUse(
      boolean autoFree,
      Set<GraphMemoryHandle> needs,
      Set<GraphMemoryHandle> leaves,
      Set<GraphMemoryHandle> frees) {
    this.autoFree = autoFree;
    this.needs = needs.toArray(GraphMemoryHandle[]::new);
    this.leaves = leaves.toArray(GraphMemoryHandle[]::new);
    this.frees = frees.toArray(GraphMemoryHandle[]::new);
    this.before = new boolean[this.leaves.length];
  }

  /** That of an exec; null if it has nothing to do with such memory. */
  static @Nullable GraphMemoryUse of(Context context, GraphExecHandle exec) {
    Collection<Attachment> attachments = exec.contents().all();
    Set<GraphMemoryHandle> needs = new LinkedHashSet<>();
    Set<GraphMemoryHandle> allocated = new LinkedHashSet<>();
    Set<GraphMemoryHandle> frees = new LinkedHashSet<>();
    for (Attachment attachment : attachments) {
      allocated.addAll(attachment.allocated());
      frees.addAll(attachment.freed());
      for (RegionHandle region : attachment.handles()) {
        if (region instanceof GraphMemoryHandle memory) {
          needs.add(memory);
        }
      }
    }
    if (needs.isEmpty()) {
      return null;
    }
    Set<GraphMemoryHandle> leaves = new LinkedHashSet<>(allocated);
    leaves.removeAll(frees);
    needs.removeAll(allocated);
    frees.removeAll(allocated);
    boolean autoFree = !leaves.isEmpty() && GraphMemoryCalls.freesOnLaunch(context, exec);
    return new GraphMemoryUse(autoFree, needs, leaves, frees);
  }

  /**
   * Begins a replay.
   *
   * @throws StaleGraphException if it uses memory of another graph that is not allocated
   * @throws IllegalStateException if memory of the replay before is still allocated
   */
  void begin(String graph) {
    GraphMemoryHandle.beginReplay(graph, autoFree, needs, leaves, frees, before);
  }

  /** Undoes {@link #begin}. */
  void undo() {
    GraphMemoryHandle.undoReplay(leaves, frees, before);
  }
}
