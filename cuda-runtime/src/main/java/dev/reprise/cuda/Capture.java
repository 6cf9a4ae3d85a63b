package dev.reprise.cuda;

/** A capture in progress. */
public final class Capture {

  public Stream origin() {
    throw new UnsupportedOperationException();
  }

  public void fork(Stream stream) {
    throw new UnsupportedOperationException();
  }

  public void join(Stream stream) {
    throw new UnsupportedOperationException();
  }
}
