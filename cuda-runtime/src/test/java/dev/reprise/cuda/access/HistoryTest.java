package dev.reprise.cuda.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cuda.diagnostics.AccessCheck;
import dev.reprise.cuda.diagnostics.Diagnostics;
import dev.reprise.cuda.diagnostics.ResourceKind;
import dev.reprise.cuda.diagnostics.UnorderedAccess;
import dev.reprise.cuda.ownership.HandleNode;
import dev.reprise.cuda.ownership.Retirement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is kept, and the order of nodes, without a driver. */
final class HistoryTest {

  private static final class Node extends HandleNode {
    Node() {
      super(
          ResourceKind.DEVICE_BUFFER,
          "memory",
          new Retirement("test", Diagnostics.standard(), new ReentrantLock(), e -> false),
          List.of());
    }

    @Override
    protected void destroy() {}
  }

  private final List<UnorderedAccess> found = new ArrayList<>();
  private final AccessChecker checker = new AccessChecker(0, AccessCheck.REPORT, found::add);
  private final Node node = new Node();
  private final AccessHistory memory = new AccessHistory(node, () -> 1L << 20);

  @AfterEach
  void close() {
    node.close();
  }

  private DeclaredUse use(Extent extent, boolean writes, String operation) {
    return new DeclaredUse(memory, extent, true, writes, operation, 0, "", null);
  }

  @Test
  void orderedUsesReplaceEachOther() {
    StreamAccess one = checker.stream("one");
    StreamAccess other = checker.stream("other");
    for (int i = 0; i < 10_000; i++) {
      one.issue("write", List.of(use(Extent.of(i % 64 * 16L, 16), true, "write")));
      other.waitFor(one.point());
      other.issue("read", List.of(use(Extent.of(0, 1024), false, "read")));
      one.waitFor(other.point());
    }
    assertThat(found).isEmpty();
    // A write for each piece, and a read.
    assertThat(memory.size()).isLessThanOrEqualTo(64 + 64);
    one.closed();
    other.closed();
  }

  @Test
  void unorderedUsesAreBounded() {
    StreamAccess one = checker.stream("one");
    for (int i = 0; i < AccessHistory.LIMIT + 100; i++) {
      one.issue("write", List.of(use(Extent.of(i * 16L, 16), true, "write")));
    }
    assertThat(memory.size()).isEqualTo(AccessHistory.LIMIT);
    StreamAccess other = checker.stream("other");
    other.issue("write", List.of(use(Extent.of(0, 16), true, "first write")));
    assertThat(found).as("what was dropped is not found").isEmpty();
    other.issue("write", List.of(use(Extent.of(2000, 16), true, "later write")));
    assertThat(found).hasSize(1);
    one.closed();
    other.closed();
  }

  @Test
  void aStreamIsForgottenLongAfterItIsGone() {
    StreamAccess gone = checker.stream("gone");
    gone.issue("write", List.of(use(Extent.of(0, 16), true, "write")));
    gone.closed();
    for (int i = 0; i < Ordering.REMEMBERED - 1; i++) {
      checker.stream("other").closed();
    }
    StreamAccess late = checker.stream("late");
    late.issue("write", List.of(use(Extent.of(0, 16), true, "late write")));
    assertThat(found).hasSize(1);
    checker.stream("other").closed();
    StreamAccess later = checker.stream("later");
    later.waitFor(late.point());
    later.issue("write", List.of(use(Extent.of(0, 16), true, "later write")));
    assertThat(found).hasSize(1);
    assertThat(memory.size()).isEqualTo(1);
    late.closed();
    later.closed();
  }

  @Test
  void whatFailedIsUndone() {
    StreamAccess one = checker.stream("one");
    StreamAccess other = checker.stream("other");
    one.issue("write", List.of(use(Extent.of(0, 16), true, "write")));
    Clock behind = one.point();
    one.issue("write", List.of(use(Extent.of(0, 16), true, "failed write")));
    one.withdraw();
    other.waitFor(behind);
    other.issue("write", List.of(use(Extent.of(0, 16), true, "ordered write")));
    assertThat(found).isEmpty();
    StreamAccess third = checker.stream("third");
    third.issue("write", List.of(use(Extent.of(0, 16), true, "unordered write")));
    assertThat(found).hasSize(1);
    List.of(one, other, third).forEach(StreamAccess::closed);
  }

  @Test
  void nodesAreOrderedByPaths() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    int reports = 0;
    for (int round = 0; round < 500; round++) {
      found.clear();
      int count = 2 + random.nextInt(8);
      boolean[][] path = new boolean[count][count];
      List<List<Long>> behind = new ArrayList<>();
      List<DeclaredUse> uses = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        behind.add(new ArrayList<>());
        boolean writes = random.nextInt(3) == 0;
        String name = "round %d, node %d".formatted(round, i);
        uses.add(use(Extent.of(random.nextInt(8), 1 + random.nextInt(8)), writes, name));
        for (int j = 0; j < i; j++) {
          if (random.nextInt(3) == 0) {
            behind.get(i).add((long) j);
            path[j][i] = true;
          }
        }
      }
      for (int k = 0; k < count; k++) {
        for (int i = 0; i < count; i++) {
          for (int j = 0; j < count; j++) {
            path[i][j] |= path[i][k] && path[k][j];
          }
        }
      }
      int expected = 0;
      for (int i = 0; i < count; i++) {
        for (int j = 0; j < i; j++) {
          boolean conflict =
              uses.get(i).conflictsWith(uses.get(j))
                  && uses.get(i).extent().overlaps(uses.get(j).extent());
          expected += conflict && !path[j][i] ? 1 : 0;
        }
      }
      GraphOrder order = new GraphOrder("graph");
      // The order in which nodes are told does not matter.
      for (int i = count - 1; i >= 0; i--) {
        order.add(i, behind.get(i), List.of(uses.get(i)));
      }
      order.check(checker);
      assertThat(found).as("seed %d, round %d", seed, round).hasSize(expected);
      reports += expected;
    }
    assertThat(reports).isPositive();
  }
}
