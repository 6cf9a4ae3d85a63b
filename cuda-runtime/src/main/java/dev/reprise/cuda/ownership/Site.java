package dev.reprise.cuda.ownership;

/** A place in the program, kept to be shown as the cause of a later error. */
final class Site extends Throwable {

  private static final long serialVersionUID = 1L;

  Site(String message) {
    super(message, null, false, true);
  }
}
