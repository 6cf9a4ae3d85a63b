package dev.reprise.cli.ptx;

import dev.reprise.cli.text.Nearest;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads the cases of a batch. */
public final class CaseReader {
  private static final List<String> FIELDS =
      List.of("name", "ptx", "ptx_path", "kernel", "grid", "block", "shared", "args");

  private final Path folder;
  private final Map<Path, String> files = new HashMap<>();

  /**
   * @param folder where paths of cases begin
   */
  public CaseReader(Path folder) {
    this.folder = folder;
  }

  /**
   * The entries of a JSON array, each to be read with {@link #answer}.
   *
   * @throws BadCaseException if the text is no such array
   */
  public static List<JsonNode> entries(String what, String json) {
    JsonNode root;
    try {
      root = JsonMapper.shared().readTree(json);
    } catch (JacksonException e) {
      throw new BadCaseException(what + " is not JSON: " + e.getOriginalMessage(), e);
    }
    if (!root.isArray()) {
      throw new BadCaseException(what + " must be a JSON array of cases");
    }
    List<JsonNode> entries = new ArrayList<>();
    root.forEach(entries::add);
    return entries;
  }

  /** Reads an entry and has it run; an entry that is wrong is answered as refused. */
  public CaseResult answer(int index, JsonNode entry, Function<KernelCase, CaseResult> run) {
    String name =
        entry.path("name").isString() ? entry.path("name").stringValue() : "case " + index;
    KernelCase asked;
    try {
      asked = read(name, entry);
    } catch (BadCaseException e) {
      return CaseResult.refused(name, String.valueOf(e.getMessage()));
    }
    return run.apply(asked);
  }

  private KernelCase read(String name, JsonNode entry) {
    if (!entry.isObject()) {
      throw new BadCaseException("a case must be a JSON object; it is " + entry.getNodeType());
    }
    for (String field : entry.propertyNames()) {
      // What is far from every field is someone's note; what is near is a slip.
      Optional<String> near = FIELDS.contains(field) ? Optional.empty() : Nearest.to(field, FIELDS);
      if (near.isPresent()) {
        throw new BadCaseException(
            "a case has no field \"%s\", did you mean %s?".formatted(field, near.get()));
      }
    }
    return new KernelCase(
        name,
        ptx(entry),
        text(entry, "kernel"),
        extent(entry, "grid"),
        extent(entry, "block"),
        shared(entry.path("shared")),
        arguments(entry.path("args")));
  }

  private String ptx(JsonNode entry) {
    boolean inline = entry.has("ptx");
    if (inline == entry.has("ptx_path")) {
      throw new BadCaseException(
          inline ? "a case has ptx or ptx_path, not both" : "a case needs ptx or ptx_path");
    }
    return inline
        ? PtxText.check("ptx", text(entry, "ptx"))
        : files.computeIfAbsent(path(text(entry, "ptx_path")), PtxText::read);
  }

  private Path path(String text) {
    try {
      Path beside = folder.resolve(text);
      return Files.exists(beside) ? beside : Path.of(text);
    } catch (InvalidPathException e) {
      throw new BadCaseException("ptx_path \"" + text + "\" is no path: " + e.getReason(), e);
    }
  }

  private static String text(JsonNode entry, String field) {
    JsonNode value = entry.path(field);
    if (!value.isString()) {
      throw new BadCaseException(
          value.isMissingNode() ? "a case needs " + field : field + " must be a string");
    }
    return value.stringValue();
  }

  /** {@code "4,2"}, {@code 4} or {@code [4, 2]}. */
  private static Extent extent(JsonNode entry, String field) {
    JsonNode value = entry.path(field);
    if (value.isMissingNode()) {
      throw new BadCaseException("a case needs " + field);
    }
    if (value.isArray()) {
      List<String> parts = new ArrayList<>();
      value.forEach(part -> parts.add(part.isString() ? part.stringValue() : part.toString()));
      return Extent.parse(field, String.join(",", parts));
    }
    return Extent.parse(field, value.isString() ? value.stringValue() : value.toString());
  }

  private static int shared(JsonNode value) {
    if (value.isMissingNode() || value.isNull()) {
      return 0;
    }
    if (!value.isInt() || value.intValue() < 0) {
      throw new BadCaseException("shared must be a number of bytes from 0; it is " + value);
    }
    return value.intValue();
  }

  private static List<CaseArgument> arguments(JsonNode value) {
    if (value.isMissingNode() || value.isNull()) {
      return List.of();
    }
    if (!value.isArray()) {
      throw new BadCaseException("args must be an array of strings such as \"u32:7\"");
    }
    List<CaseArgument> arguments = new ArrayList<>();
    for (JsonNode argument : value) {
      if (!argument.isString()) {
        throw new BadCaseException(
            "an argument must be a string such as \"u32:7\"; argument "
                + arguments.size()
                + " is "
                + CaseArgument.cut(argument.toString()));
      }
      arguments.add(CaseArgument.parse(argument.stringValue()));
    }
    return arguments;
  }
}
