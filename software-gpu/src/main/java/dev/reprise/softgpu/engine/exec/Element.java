package dev.reprise.softgpu.engine.exec;

/**
 * One element of a load or store.
 *
 * @param kind which registers it moves to or from
 * @param bytes size in memory; less than 4 only for {@code INT}
 * @param register array of that kind, -1 where a load discards the element
 * @param keep for loads of less than 4 bytes: mask of the sign-extended value; for stores of
 *     floats: {@link #CANONICAL} or 0
 */
public record Element(RegisterKind kind, int bytes, int register, int keep) {
  /** A NaN is stored as the canonical one. */
  public static final int CANONICAL = 1;
}
