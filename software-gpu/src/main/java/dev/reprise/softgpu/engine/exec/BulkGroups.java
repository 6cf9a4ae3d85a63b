package dev.reprise.softgpu.engine.exec;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The groups of bulk copies that the lanes of a warp have begun and that have not all arrived. */
final class BulkGroups {
  /** The copies of one lane: those of the group that is open, and of those that are committed. */
  private static final class Lane {
    private List<BulkCopy> open = new ArrayList<>();
    private final ArrayDeque<List<BulkCopy>> groups = new ArrayDeque<>();
  }

  private final @Nullable Lane[] lanes = new Lane[Warp.LANES];

  private Lane lane(int k) {
    Lane lane = lanes[k];
    if (lane == null) {
      lane = new Lane();
      lanes[k] = lane;
    }
    return lane;
  }

  void start(int k, BulkCopy copy) {
    lane(k).open.add(copy);
  }

  void commit(int k) {
    Lane lane = lane(k);
    lane.groups.add(lane.open);
    lane.open = new ArrayList<>();
  }

  /** Lets all groups but the {@code latest} most recent ones arrive. */
  void await(int k, int latest) {
    ArrayDeque<List<BulkCopy>> groups = lane(k).groups;
    while (groups.size() > latest) {
      groups.remove().forEach(BulkCopy::arrive);
    }
  }

  /** Lets all groups but the {@code latest} most recent ones read their sources. */
  void awaitRead(int k, int latest) {
    ArrayDeque<List<BulkCopy>> groups = lane(k).groups;
    int due = groups.size() - latest;
    for (List<BulkCopy> group : groups) {
      if (due-- > 0) {
        group.forEach(BulkCopy::readSource);
      }
    }
  }

  /**
   * The block has ended, and its shared memory with it: what has been read arrives, what has not is
   * lost.
   */
  void end() {
    for (Lane lane : lanes) {
      if (lane != null) {
        lane.groups.forEach(
            group -> group.stream().filter(BulkCopy::read).forEach(BulkCopy::arrive));
      }
    }
  }
}
