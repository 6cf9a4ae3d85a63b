package dev.reprise.softgpu.ptx;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A variable or parameter.
 *
 * @param elements number of elements, 1 for a scalar, 0 for an array of unknown length ({@code [])
 * @param initial initial values in order, empty for none; missing ones are zero
 */
public record Variable(
    int line,
    String linkage,
    Space space,
    int alignment,
    PtxType type,
    int vector,
    String name,
    long elements,
    List<Initial> initial) {

  /**
   * One initial value: a constant, or the address of a symbol plus {@code value} where {@code
   * symbol} is given.
   *
   * @param mask which bits of the address are meant, moved down ({@code 0xff00(symbol)}); -1 for
   *     all
   */
  public record Initial(
      long value, @Nullable Double real, @Nullable String symbol, boolean generic, long mask) {

    public Initial(long value, @Nullable Double real, @Nullable String symbol, boolean generic) {
      this(value, real, symbol, generic, -1);
    }
  }

  /** Size in bytes. */
  public long bytes() {
    return elements * vector * type.bytes();
  }

  public boolean extern() {
    return linkage.equals("extern");
  }
}
