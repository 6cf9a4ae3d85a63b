package dev.reprise.cli.gpucheck;

/**
 * One part of the check. Each opens the device anew and closes all it used, so that one that broke
 * off leaves the next a context of its own.
 */
interface Section {

  /** Its name in JSON. */
  String key();

  /** Its name for people. */
  String title();

  /** Whether it measures times. */
  boolean timed();

  /** Takes down what it finds; what it throws is recorded, and the check goes on. */
  void run(CheckPlan plan, SectionLog log);
}
