package dev.reprise.cli.gpucheck;

import dev.reprise.cli.measure.LaunchBench;
import dev.reprise.cli.measure.LaunchCosts;
import dev.reprise.cli.measure.Numbers;
import dev.reprise.cli.measure.Progress;
import dev.reprise.cuda.Device;

/** What it costs to launch chains of empty kernels, one by one and as one graph. */
final class LaunchSection implements Section {

  private static final int LEAST_ROUNDS = 5;
  private static final int MOST_ROUNDS = 200;

  @Override
  public String key() {
    return "launches";
  }

  @Override
  public String title() {
    return "Launch cost against node count";
  }

  @Override
  public boolean timed() {
    return true;
  }

  @Override
  public void run(CheckPlan plan, SectionLog log) {
    CheckPlan.Deadline warm = plan.deadline(0.05);
    CheckPlan.Deadline end = plan.deadline(0.3);
    LaunchCosts costs;
    try (Device device = Device.open(0)) {
      costs =
          LaunchBench.run(
              device,
              plan.nodes(),
              round -> round < MOST_ROUNDS && !warm.passed(),
              round -> round < MOST_ROUNDS && (round < LEAST_ROUNDS || !end.passed()),
              Progress.none());
    }
    log.add(costs.chainTable());
    for (LaunchCosts.Chain chain : costs.chains()) {
      log.check(
          "a chain of %d is a graph of as many nodes".formatted(chain.nodes()),
          chain.graphNodes() == chain.nodes(),
          chain.graphNodes() + " nodes");
    }
    log.add(costs.lineTable());
    costs
        .lines()
        .forEach((name, line) ->
            log.headline(
                "%s: %s µs + %s ± %s µs a node"
                    .formatted(
                        name,
                        Numbers.text(line.intercept()),
                        Numbers.text(line.slope()),
                        Numbers.text(line.slopeError()))));
  }
}
