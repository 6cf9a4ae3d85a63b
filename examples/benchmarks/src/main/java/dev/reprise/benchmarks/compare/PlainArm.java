package dev.reprise.benchmarks.compare;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * The same calls in plain C.
 *
 * @param method the name that the same JMH benchmark has
 * @param linked by direct link, or else by {@code dlopen} and {@code dlsym}
 */
record PlainArm(Operation operation, String name, String calls, String method, boolean linked)
    implements Arm {

  @Override
  public boolean isBaseline() {
    return linked;
  }

  @Override
  public Run run(Plan plan) throws IOException, InterruptedException {
    // In C nothing is compiled while it runs; half a second lets the clock of the core settle.
    Child child =
        command(
            plan,
            Integer.toString(plan.warmups() * Plan.WARMUP_MILLISECONDS / plan.milliseconds()),
            Integer.toString(plan.iterations()),
            Integer.toString(plan.milliseconds()));
    return new Run(
        child.output().lines().mapToDouble(Double::parseDouble).toArray(), new double[0]);
  }

  Child command(Plan plan, String... arguments) {
    Path library = plan.driver(operation.driver);
    Path program = plan.built().resolve(linked ? "plain-linked" : "plain-opened");
    return new Child(List.of(program.toString(), library.toString(), method), List.of(arguments))
        .withLibraries(library.resolveSibling(""));
  }
}
