package dev.reprise.cuda;

/** An executable graph. */
public final class GraphExec implements AutoCloseable {

  public String label() {
    throw new UnsupportedOperationException();
  }

  public void upload(Stream stream) {
    throw new UnsupportedOperationException();
  }

  public void replay(Stream stream) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void close() {
    throw new UnsupportedOperationException();
  }
}
