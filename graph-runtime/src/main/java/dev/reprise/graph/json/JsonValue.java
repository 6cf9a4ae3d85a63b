package dev.reprise.graph.json;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A value of a document. Each accessor checks the type and gives an error with file, line and field
 * otherwise.
 *
 * @param document name of the document
 * @param line where the value stood, from 1
 * @param path the field, such as {@code replayed[3].rows}; empty for the whole document
 * @param value a map, list, string, number, boolean or null
 */
public record JsonValue(String document, int line, String path, @Nullable Object value) {

  /** An error about this value. */
  public JsonFormatException error(String problem) {
    return new JsonFormatException("%s:%d: %s".formatted(document, line, problem));
  }

  private JsonFormatException wrong(String expected) {
    String what = path.isEmpty() ? "the document" : path;
    return error(what + " is " + shown() + "; it must be " + expected);
  }

  private String shown() {
    return switch (value) {
      case null -> "null";
      case Map<?, ?> _ -> "an object";
      case List<?> _ -> "a list";
      case String text -> "\"" + text + "\"";
      default -> value.toString();
    };
  }

  private Map<?, ?> fields() {
    if (value instanceof Map<?, ?> map) {
      return map;
    }
    throw wrong("an object");
  }

  /**
   * Refuses fields that are not known, so that a misspelt one is not passed over.
   *
   * @return this
   */
  public JsonValue knows(String... names) {
    Set<String> known = Set.of(names);
    for (Map.Entry<?, ?> field : fields().entrySet()) {
      if (!known.contains(String.valueOf(field.getKey()))
          && field.getValue() instanceof JsonValue v) {
        throw v.error(
            "unknown field %s; the fields here are %s".formatted(v.path, String.join(", ", names)));
      }
    }
    return this;
  }

  /** The names of the fields of an object, in order. */
  public List<String> names() {
    return fields().keySet().stream().map(String::valueOf).toList();
  }

  /** Whether a field is there and not null. */
  public boolean has(String name) {
    return fields().get(name) instanceof JsonValue found && found.value != null;
  }

  /** A field that must be there. */
  public JsonValue field(String name) {
    if (fields().get(name) instanceof JsonValue found) {
      return found;
    }
    throw error((path.isEmpty() ? "" : path + ": ") + "the field \"" + name + "\" is missing");
  }

  /** A field that may be missing or null. */
  public Optional<JsonValue> optional(String name) {
    return has(name) ? Optional.of(field(name)) : Optional.empty();
  }

  /** The items of a list. */
  public List<JsonValue> items() {
    if (value instanceof List<?> list) {
      return list.stream().map(JsonValue.class::cast).toList();
    }
    throw wrong("a list");
  }

  /** A text. */
  public String text() {
    if (value instanceof String text) {
      return text;
    }
    throw wrong("a text");
  }

  /** A text that is one of a few. */
  public String oneOf(Collection<String> words) {
    if (value instanceof String text && words.contains(text)) {
      return text;
    }
    throw wrong("\"" + String.join("\" or \"", words) + "\"");
  }

  /** True or false. */
  public boolean flag() {
    if (value instanceof Boolean flag) {
      return flag;
    }
    throw wrong("true or false");
  }

  /** A whole number within bounds. */
  public long whole(long least, long most) {
    boolean whole = value instanceof Integer || value instanceof Long;
    if (whole && value instanceof Number number) {
      long found = number.longValue();
      if (found >= least && found <= most) {
        return found;
      }
    }
    throw wrong(
        most == Long.MAX_VALUE || most == Integer.MAX_VALUE
            ? "a whole number of at least " + least
            : "a whole number from " + least + " to " + most);
  }

  /** A whole number of at least {@code least} that fits an int. */
  public int whole(int least) {
    return Math.toIntExact(whole(least, Integer.MAX_VALUE));
  }

  /** A finite number of at least 0. */
  public double amount() {
    if (value instanceof Number number) {
      double found = number.doubleValue();
      if (found >= 0 && found < Double.POSITIVE_INFINITY) {
        return found;
      }
    }
    throw wrong("a number of at least 0");
  }
}
