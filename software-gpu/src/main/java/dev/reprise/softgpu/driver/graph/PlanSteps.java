package dev.reprise.softgpu.driver.graph;

import dev.reprise.softgpu.driver.queue.Steps;
import dev.reprise.softgpu.driver.queue.Work;
import java.util.BitSet;
import java.util.List;

/** One run of a graph, operation by operation, in any order that its edges allow. */
final class PlanSteps implements Steps {

  private final List<Work> works;
  private final List<BitSet> before;
  private final boolean body;

  /** How many each operation still has to come after. */
  private final int[] missing;

  /** Those that have to come after none any more, and have not run. */
  private final BitSet open = new BitSet();

  private int left;

  PlanSteps(List<Work> works, List<BitSet> before, boolean body) {
    this.works = works;
    this.before = before;
    this.body = body;
    this.left = works.size();
    this.missing = new int[left];
    for (int i = 0; i < left; i++) {
      missing[i] = before.get(i).cardinality();
      if (missing[i] == 0) {
        open.set(i);
      }
    }
  }

  @Override
  public int ready() {
    return (int) open.stream().filter(i -> works.get(i).ready()).count();
  }

  private int number(int which) {
    return open.stream().filter(i -> works.get(i).ready()).skip(which).findFirst().orElseThrow();
  }

  @Override
  public Work piece(int which) {
    return works.get(number(which));
  }

  @Override
  public void run(int which) {
    int number = number(which);
    open.clear(number);
    Plan.runOne(works.get(number), number, before.get(number), body);
    left--;
    for (int i = 0; i < missing.length; i++) {
      if (before.get(i).get(number) && --missing[i] == 0) {
        open.set(i);
      }
    }
  }

  @Override
  public boolean done() {
    return left == 0;
  }
}
