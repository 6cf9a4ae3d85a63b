package dev.reprise.softgpu.engine.exec;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Copies that the lanes of a warp have begun, each lane's in the groups that it has committed and
 * the one that is open.
 */
final class CopyGroups<C> {
  private final @Nullable Lane<C>[] lanes = newLanes();

  private static final class Lane<C> {
    private List<C> open = new ArrayList<>();
    private final ArrayDeque<List<C>> groups = new ArrayDeque<>();
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // arrays have no type parameters
  private static <C> @Nullable Lane<C>[] newLanes() {
    return new Lane[Warp.LANES];
  }

  private Lane<C> lane(int k) {
    Lane<C> lane = lanes[k];
    if (lane == null) {
      lane = new Lane<>();
      lanes[k] = lane;
    }
    return lane;
  }

  void start(int k, C copy) {
    lane(k).open.add(copy);
  }

  void commit(int k) {
    Lane<C> lane = lane(k);
    lane.groups.add(lane.open);
    lane.open = new ArrayList<>();
  }

  /** The copies of all groups but the {@code latest} most recent ones, in order. */
  List<C> due(int k, int latest) {
    ArrayDeque<List<C>> groups = lane(k).groups;
    List<C> due = new ArrayList<>();
    int rest = groups.size() - latest;
    for (List<C> group : groups) {
      if (rest-- <= 0) {
        break;
      }
      due.addAll(group);
    }
    return due;
  }

  /** As {@link #due}; the groups are forgotten. */
  List<C> take(int k, int latest) {
    List<C> due = due(k, latest);
    ArrayDeque<List<C>> groups = lane(k).groups;
    while (groups.size() > latest) {
      groups.remove();
    }
    return due;
  }

  /** All copies of a lane, those of no group included. */
  List<C> all(int k) {
    List<C> all = due(k, 0);
    all.addAll(lane(k).open);
    return all;
  }

  void clear() {
    Arrays.fill(lanes, null);
  }
}
