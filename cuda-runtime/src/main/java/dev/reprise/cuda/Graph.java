package dev.reprise.cuda;

import java.util.List;

/** A captured graph. */
public final class Graph implements AutoCloseable {

  public String label() {
    throw new UnsupportedOperationException();
  }

  public int nodeCount() {
    throw new UnsupportedOperationException();
  }

  public GraphExec instantiate() {
    throw new UnsupportedOperationException();
  }

  public String toDot() {
    throw new UnsupportedOperationException();
  }

  public List<Region> regions() {
    throw new UnsupportedOperationException();
  }

  public List<CapturedPointer> pointers() {
    throw new UnsupportedOperationException();
  }

  @Override
  public void close() {
    throw new UnsupportedOperationException();
  }
}
