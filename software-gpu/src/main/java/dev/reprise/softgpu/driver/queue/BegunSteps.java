package dev.reprise.softgpu.driver.queue;

/** Pieces of work, in front of the first of which something else is done. */
public final class BegunSteps implements Steps {

  private final Runnable first;
  private final Steps steps;
  private boolean begun;

  public BegunSteps(Runnable first, Steps steps) {
    this.first = first;
    this.steps = steps;
  }

  @Override
  public int ready() {
    return steps.ready();
  }

  @Override
  public Work piece(int which) {
    return steps.piece(which);
  }

  @Override
  public void run(int which) {
    if (!begun) {
      begun = true;
      first.run();
    }
    steps.run(which);
  }

  @Override
  public boolean done() {
    return steps.done();
  }

  @Override
  public void end() {
    steps.end();
  }
}
