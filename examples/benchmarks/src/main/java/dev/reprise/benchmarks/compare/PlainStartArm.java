package dev.reprise.benchmarks.compare;

import java.io.IOException;

/**
 * A new C process up to a first use of the driver.
 *
 * @param plain the program and what it does
 */
record PlainStartArm(PlainArm plain) implements Arm {

  @Override
  public Operation operation() {
    return plain.operation();
  }

  @Override
  public String name() {
    return plain.name();
  }

  @Override
  public String calls() {
    return plain.calls();
  }

  @Override
  public Run run(Plan plan) throws IOException, InterruptedException {
    double elapsed = plain.command(plan, "start").millisecondsToFirstByte();
    return new Run(new double[] {elapsed}, new double[0]);
  }
}
