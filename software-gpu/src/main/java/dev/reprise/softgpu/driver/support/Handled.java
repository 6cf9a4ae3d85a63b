package dev.reprise.softgpu.driver.support;

/** An object that the driver API names by a handle. */
public abstract class Handled {

  private final HandleKind kind;
  private final long handle;

  /**
   * Takes a number that no other object had or will have; {@link Handles#publish} makes it known.
   */
  protected Handled(Handles handles, HandleKind kind) {
    this.kind = kind;
    this.handle = handles.next(kind);
  }

  /** The kind of this object. */
  public final HandleKind kind() {
    return kind;
  }

  /** The number that callers know this object by. */
  public final long handle() {
    return handle;
  }

  @Override
  public String toString() {
    return "%s 0x%x".formatted(kind.words(), handle);
  }
}
