package dev.reprise.softgpu.driver.queue;

/** Work that is one piece. */
public final class WholeWork implements Steps {

  private final Work work;
  private boolean done;

  public WholeWork(Work work) {
    this.work = work;
  }

  @Override
  public int ready() {
    return !done && work.ready() ? 1 : 0;
  }

  @Override
  public Work piece(int which) {
    return work;
  }

  @Override
  public void run(int which) {
    done = true;
    work.run();
  }

  @Override
  public boolean done() {
    return done;
  }
}
