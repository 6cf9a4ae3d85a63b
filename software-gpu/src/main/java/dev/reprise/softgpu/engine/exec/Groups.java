package dev.reprise.softgpu.engine.exec;

import org.jspecify.annotations.Nullable;

/**
 * The convergence groups of a warp that are not running: sets of lanes with a program counter each.
 * The group with the least penalty, and then the least program counter, goes next; groups that meet
 * at one program counter become one. A group that keeps jumping back is penalised, so that lanes
 * spinning on a lock let the lane that holds it go on (forward progress as promised since Volta).
 */
final class Groups {
  static final int READY = 0;

  /** Waits for other lanes of the warp at the operation at its program counter. */
  static final int SYNC = 1;

  /** Has arrived at a barrier; its program counter is past it. */
  static final int BARRIER = 2;

  /** Stands in for a barrier's number where a group waits for its cluster. */
  static final int CLUSTER = -2;

  int count;
  final int[] pc = new int[32];
  final int[] mask = new int[32];
  final int[] state = new int[32];
  final int[] penalty = new int[32];
  final int[] barrier = new int[32];
  final @Nullable BarrierOp[] barrierOp = new BarrierOp[32];

  void clear() {
    count = 0;
  }

  /** Adds lanes that are ready, or wait for lanes of the warp. */
  void add(int groupPc, int groupMask, int groupState, int groupPenalty) {
    for (int g = 0; g < count; g++) {
      if (pc[g] == groupPc && state[g] == groupState) {
        mask[g] |= groupMask;
        penalty[g] = Math.max(penalty[g], groupPenalty);
        return;
      }
    }
    append(groupPc, groupMask, groupState, groupPenalty, -1, null);
  }

  /**
   * Adds lanes that wait at a barrier.
   *
   * @param id its number in the block, or {@link #CLUSTER}
   * @param op null for the barrier of the cluster
   */
  void addAtBarrier(int groupPc, int groupMask, int id, @Nullable BarrierOp op) {
    append(groupPc, groupMask, BARRIER, 0, id, op);
  }

  private void append(
      int groupPc,
      int groupMask,
      int groupState,
      int groupPenalty,
      int id,
      @Nullable BarrierOp op) {
    pc[count] = groupPc;
    mask[count] = groupMask;
    state[count] = groupState;
    penalty[count] = groupPenalty;
    barrier[count] = id;
    barrierOp[count] = op;
    count++;
  }

  void remove(int g) {
    count--;
    pc[g] = pc[count];
    mask[g] = mask[count];
    state[g] = state[count];
    penalty[g] = penalty[count];
    barrier[g] = barrier[count];
    barrierOp[g] = barrierOp[count];
  }

  /** The ready group to run next, or -1. */
  int pick() {
    int best = -1;
    for (int g = 0; g < count; g++) {
      if (state[g] == READY && (best < 0 || before(penalty[g], pc[g], penalty[best], pc[best]))) {
        best = g;
      }
    }
    return best;
  }

  boolean anyReady() {
    return pick() >= 0;
  }

  /** Whether some ready group should run before one with that penalty and program counter. */
  boolean readyBefore(int otherPenalty, int otherPc) {
    for (int g = 0; g < count; g++) {
      if (state[g] == READY && before(penalty[g], pc[g], otherPenalty, otherPc)) {
        return true;
      }
    }
    return false;
  }

  private static boolean before(int penaltyA, int pcA, int penaltyB, int pcB) {
    return penaltyA != penaltyB ? penaltyA < penaltyB : pcA < pcB;
  }

  /** Removes the groups that stand at a program counter, and returns their lanes. */
  int takeAt(int atPc) {
    int taken = 0;
    for (int g = count - 1; g >= 0; g--) {
      if (pc[g] == atPc && state[g] != BARRIER) {
        taken |= mask[g];
        remove(g);
      }
    }
    return taken;
  }

  /** The least program counter beyond {@code fromPc} where a group could be met. */
  int nextAfter(int fromPc) {
    int next = Integer.MAX_VALUE;
    for (int g = 0; g < count; g++) {
      if (pc[g] > fromPc && pc[g] < next && state[g] != BARRIER) {
        next = pc[g];
      }
    }
    return next;
  }

  /** Lets groups that wait for lanes of the warp look again: some of those lanes have exited. */
  void wakeSync() {
    for (int g = 0; g < count; g++) {
      if (state[g] == SYNC) {
        state[g] = READY;
      }
    }
  }
}
