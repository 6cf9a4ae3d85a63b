package dev.reprise.softgpu.driver.graph;

import dev.reprise.softgpu.driver.queue.BegunSteps;
import dev.reprise.softgpu.driver.queue.Marker;
import dev.reprise.softgpu.driver.queue.Steps;
import dev.reprise.softgpu.driver.queue.Work;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The conditions that an executable graph decides by: those of the graph that it was made from, or
 * of the last one that it was updated from. Guarded by the executable graph.
 */
final class ConditionUse {

  private record Replaced(List<Condition> conditions, Marker lastUse) {}

  private final GraphExec exec;
  private final Graph origin;
  private @Nullable Graph updatedFrom;
  private List<Condition> conditions;
  private final List<Replaced> replaced = new ArrayList<>();

  /** Holds the conditions of a graph that the executable graph has for itself. */
  ConditionUse(GraphExec exec, Graph origin) {
    this.exec = exec;
    this.origin = origin;
    this.conditions = retain(origin);
  }

  private static List<Condition> retain(Graph graph) {
    List<Condition> all = List.copyOf(graph.allConditions());
    all.forEach(Condition::retain);
    return all;
  }

  /** Takes those of another graph; launches up to now go on with the ones before. */
  void replaceBy(Graph graph, Marker lastLaunch) {
    replaced.removeIf(ConditionUse::releaseIfUnused);
    replaced.add(new Replaced(conditions, lastLaunch));
    conditions = retain(graph);
    leaveUpdatedFrom(lastLaunch);
    updatedFrom = graph == origin ? null : graph;
  }

  private void leaveUpdatedFrom(Marker lastLaunch) {
    if (updatedFrom != null) {
      updatedFrom.tenancy().leave(exec, lastLaunch);
    }
  }

  private static boolean releaseIfUnused(Replaced old) {
    boolean unused = old.lastUse().complete();
    if (unused) {
      old.conditions().forEach(Condition::release);
    }
    return unused;
  }

  /** The work of a launch with its conditions as a launch begins. */
  Work begin(Work work) {
    return conditions.isEmpty() ? work : new Begun(conditions, work);
  }

  private record Begun(List<Condition> conditions, Work work) implements Work {
    @Override
    public void run() {
      conditions.forEach(Condition::begin);
      work.run();
    }

    @Override
    public Steps steps() {
      return new BegunSteps(() -> conditions.forEach(Condition::begin), work.asSteps());
    }

    @Override
    public String toString() {
      return work.toString();
    }
  }

  /** Lets others have the graphs; launches under way keep the conditions. */
  void leave(Marker lastLaunch) {
    origin.tenancy().leave(exec, lastLaunch);
    leaveUpdatedFrom(lastLaunch);
  }

  /** Gives all conditions back, once no launch is under way. */
  void release() {
    replaced.forEach(old -> old.conditions().forEach(Condition::release));
    replaced.clear();
    conditions.forEach(Condition::release);
    conditions = List.of();
  }
}
