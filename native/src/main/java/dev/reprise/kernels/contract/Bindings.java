package dev.reprise.kernels.contract;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** The numbers that the symbols of a contract stand for in one launch. */
public final class Bindings {

  private final Map<String, Long> values = new LinkedHashMap<>();

  /** Binds a symbol; binding it again replaces the value. */
  public Bindings bind(String symbol, long value) {
    values.put(symbol, value);
    return this;
  }

  /**
   * The value of a symbol.
   *
   * @throws IllegalArgumentException when it is not bound
   */
  public long get(String symbol) {
    return find(symbol)
        .orElseThrow(() ->
            new IllegalArgumentException(
                "No value for '%s'; bound are %s.".formatted(symbol, values.keySet())));
  }

  /** The value of a symbol that must fit an int. */
  public int getInt(String symbol) {
    return Math.toIntExact(get(symbol));
  }

  /** The value of a symbol if it is bound. */
  public Optional<Long> find(String symbol) {
    return Optional.ofNullable(values.get(symbol));
  }

  @Override
  public String toString() {
    return values.toString();
  }
}
