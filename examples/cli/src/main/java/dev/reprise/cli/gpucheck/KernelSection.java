package dev.reprise.cli.gpucheck;

import dev.reprise.cli.measure.Numbers;
import dev.reprise.cli.measure.Table;
import dev.reprise.cuda.Device;
import dev.reprise.kernels.Kernels;
import dev.reprise.kernels.check.Agreement;
import dev.reprise.kernels.check.DeviceArrays;
import dev.reprise.kernels.check.KernelCase;
import dev.reprise.kernels.check.KernelCases;
import java.util.List;

/** Every kernel against its plain reference. */
final class KernelSection implements Section {

  @Override
  public String key() {
    return "kernels";
  }

  @Override
  public String title() {
    return "Kernels against their references";
  }

  @Override
  public boolean timed() {
    return false;
  }

  @Override
  public void run(CheckPlan plan, SectionLog log) {
    log.fact("seed", "seed of the inputs", CheckPlan.SEED);
    Table table =
        log.table(
            "cases",
            "Cases",
            Table.column("kernel", "kernel"),
            Table.column("shape", "shape"),
            Table.column("elements", "elements"),
            Table.column("max_absolute_error", "max. absolute error"),
            Table.column("max_relative_error", "max. relative error"),
            Table.column("of_tolerance", "of tolerance"),
            Table.column("passed", "passed"));
    double worst = 0;
    try (Device device = Device.open(0);
        Kernels kernels = Kernels.load(device);
        DeviceArrays arrays = new DeviceArrays(device)) {
      List<KernelCase> cases = KernelCases.of(device, plan.quick());
      for (KernelCase one : cases) {
        Agreement found = one.run(kernels, arrays, CheckPlan.SEED);
        table.add(
            one.kernel(),
            one.shape(),
            found.elements(),
            found.maxAbsolute(),
            found.maxRelative(),
            found.ofTolerance(),
            found.holds());
        log.check(one.kernel() + ", " + one.shape(), found.holds(), found.detail());
        worst = Math.max(worst, found.ofTolerance());
      }
      log.headline(
          "%d kernels in %d cases, at most %s of the tolerance used"
              .formatted(
                  cases.stream().map(KernelCase::kernel).distinct().count(),
                  cases.size(),
                  Numbers.text(worst)));
    }
  }
}
