package dev.reprise.cli.tune;

import dev.reprise.graph.bucket.BucketEvidence;
import dev.reprise.graph.model.DeviceModel;
import dev.reprise.graph.model.LaunchCost;
import dev.reprise.graph.model.ModelShape;
import dev.reprise.graph.tune.AssumedCosts;
import dev.reprise.graph.tune.CostFile;
import dev.reprise.graph.tune.StepCosts;
import java.nio.file.Path;

/**
 * Costs and where they come from.
 *
 * @param costs the costs
 * @param facts where they come from
 * @param softwareDevice whether they were measured on a software GPU
 */
record CostSource(StepCosts costs, BucketEvidence.Costs facts, boolean softwareDevice) {

  /** Begins a choice that is no file. */
  static final String ASSUME = "assume:";

  /**
   * From the value of {@code --costs}.
   *
   * @throws IllegalArgumentException if it names nothing, or the file is not valid
   */
  static CostSource of(String choice) {
    if (choice.startsWith(ASSUME)) {
      return assumed(choice.substring(ASSUME.length()));
    }
    CostFile file = CostFile.read(Path.of(choice));
    return new CostSource(
        file.table(),
        new BucketEvidence.Costs(
            choice + ": " + file.method(), file.measured(), file.device(), file.model()),
        file.softwareDevice());
  }

  private static CostSource assumed(String rest) {
    int colon = rest.indexOf(':');
    if (colon < 0) {
      throw new IllegalArgumentException(
          "--costs assume: needs a device and a model, as in assume:h200:llama-3.1-8b; it is"
              + " \"assume:"
              + rest
              + "\"");
    }
    try {
      DeviceModel device = DeviceModel.named(rest.substring(0, colon));
      ModelShape model = ModelShape.named(rest.substring(colon + 1));
      return new CostSource(
          new AssumedCosts(device, model, LaunchCost.ASSUMED),
          new BucketEvidence.Costs(
              "published peaks and assumed launch costs", false, device.title(), model.name()),
          false);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("--costs " + ASSUME + rest + ": " + e.getMessage(), e);
    }
  }
}
