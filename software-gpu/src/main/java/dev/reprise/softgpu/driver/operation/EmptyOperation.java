package dev.reprise.softgpu.driver.operation;

/** A node that only joins dependencies. */
public enum EmptyOperation implements Operation {
  INSTANCE;

  @Override
  public NodeType type() {
    return NodeType.EMPTY;
  }

  @Override
  public String describe() {
    return "empty";
  }

  @Override
  public void run() {}
}
