package dev.reprise.cuda;

/** A point in a stream. */
public final class Event implements AutoCloseable {

  public String label() {
    throw new UnsupportedOperationException();
  }

  public Device device() {
    throw new UnsupportedOperationException();
  }

  public float elapsedMillis(Event since) {
    throw new UnsupportedOperationException();
  }

  public void synchronize() {
    throw new UnsupportedOperationException();
  }

  public boolean isComplete() {
    throw new UnsupportedOperationException();
  }

  @Override
  public void close() {
    throw new UnsupportedOperationException();
  }
}
