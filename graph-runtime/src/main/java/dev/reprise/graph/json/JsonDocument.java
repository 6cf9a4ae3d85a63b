package dev.reprise.graph.json;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.json.JsonMapper;

/** Reads JSON text into {@link JsonValue}s that know where they stood. */
public final class JsonDocument {

  private static final long MOST_BYTES = 64L << 20;
  private static final JsonMapper MAPPER = JsonMapper.shared();

  private final String name;
  private final int firstLine;
  private final JsonParser parser;

  private JsonDocument(String name, int firstLine, JsonParser parser) {
    this.name = name;
    this.firstLine = firstLine;
    this.parser = parser;
  }

  /**
   * Reads a file of UTF-8.
   *
   * @throws JsonFormatException if it cannot be read or is not JSON
   */
  public static JsonValue read(Path file) {
    try {
      if (Files.isDirectory(file)) {
        throw new JsonFormatException(file + ": this is a folder; name the file in it");
      }
      if (Files.size(file) > MOST_BYTES) {
        throw new JsonFormatException(file + " has more than 64 MiB; that is no file of this kind");
      }
      byte[] bytes = Files.readAllBytes(file);
      return parse(
          file.toString(),
          1,
          StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
    } catch (NoSuchFileException e) {
      throw new JsonFormatException(file + ": there is no such file");
    } catch (CharacterCodingException e) {
      throw new JsonFormatException(file + " is not UTF-8; save it in that encoding");
    } catch (IOException e) {
      throw new JsonFormatException(file + ": it cannot be read: " + e.getMessage());
    }
  }

  /**
   * Parses a text.
   *
   * @param name what errors call it
   * @param firstLine the number of its first line
   */
  public static JsonValue parse(String name, int firstLine, String text) {
    try (JsonParser parser = MAPPER.createParser(text)) {
      return new JsonDocument(name, firstLine, parser).whole();
    } catch (JacksonException e) {
      int line = e.getLocation() == null ? 1 : Math.max(1, e.getLocation().getLineNr());
      throw new JsonFormatException(
          "%s:%d: this is not JSON: %s"
              .formatted(name, firstLine + line - 1, firstSentence(e.getOriginalMessage())));
    }
  }

  private static String firstSentence(@Nullable String message) {
    return message == null ? "it cannot be parsed" : message.strip().lines().findFirst().orElse("");
  }

  private JsonValue whole() {
    JsonToken first = parser.nextToken();
    if (first == null) {
      throw error(firstLine, "there is nothing in it; it must hold a JSON object");
    }
    JsonValue value = value(first, "");
    if (parser.nextToken() != null) {
      throw error(line(), "something follows the JSON value; a document holds one");
    }
    return value;
  }

  private JsonValue value(JsonToken token, String path) {
    int line = line();
    return switch (token) {
      case START_OBJECT -> object(path, line);
      case START_ARRAY -> array(path, line);
      case VALUE_STRING -> new JsonValue(name, line, path, parser.getString());
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT ->
          new JsonValue(name, line, path, parser.getNumberValue());
      case VALUE_TRUE -> new JsonValue(name, line, path, Boolean.TRUE);
      case VALUE_FALSE -> new JsonValue(name, line, path, Boolean.FALSE);
      case VALUE_NULL -> new JsonValue(name, line, path, null);
      default -> throw error(line, "unexpected " + token);
    };
  }

  private JsonValue object(String path, int line) {
    Map<String, JsonValue> fields = new LinkedHashMap<>();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String key = parser.currentName();
      String inner = path.isEmpty() ? key : path + "." + key;
      int at = line();
      if (fields.put(key, value(parser.nextToken(), inner)) != null) {
        throw error(at, inner + " is given twice; keep one");
      }
    }
    return new JsonValue(name, line, path, fields);
  }

  private JsonValue array(String path, int line) {
    List<JsonValue> items = new ArrayList<>();
    JsonToken token = parser.nextToken();
    while (token != JsonToken.END_ARRAY) {
      items.add(value(token, path + "[" + items.size() + "]"));
      token = parser.nextToken();
    }
    return new JsonValue(name, line, path, items);
  }

  private int line() {
    return firstLine + parser.currentTokenLocation().getLineNr() - 1;
  }

  private JsonFormatException error(int line, String problem) {
    return new JsonFormatException("%s:%d: %s".formatted(name, line, problem));
  }
}
