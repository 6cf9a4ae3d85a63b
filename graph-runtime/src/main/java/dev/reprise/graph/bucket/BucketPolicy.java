package dev.reprise.graph.bucket;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.stream.Collectors;

/**
 * How the buckets of a decode loop are chosen: by a list, by a rule, or by a tuned file.
 *
 * <p>As text, for a command line: a kind with its sizes, and after an {@code x} the contexts; where
 * these are left out, the one context is the longest that the model has.
 *
 * <ul>
 *   <li>{@code list:1,2,4x128,512}: rows 1, 2, 4, each with contexts 128 and 512
 *   <li>{@code pow2:64}: rows 1, 2, 4 … 64
 *   <li>{@code step:8:64}: rows 8, 16 … 64
 *   <li>{@code vllm:256}, {@code sglang:256}, {@code tensorrt-llm:256}: the rows that those systems
 *       capture by default, up to 256
 *   <li>{@code file:buckets.json}: a {@link BucketFile}
 * </ul>
 */
public final class BucketPolicy {

  /** What would do, for an error. */
  private static final String FORMS =
      "pow2:64, step:8:64, list:1,2,4x128,512, vllm:256, sglang:256, tensorrt-llm:256 or"
          + " file:buckets.json";

  /** Rows of one step that no device has room for. */
  private static final int MOST_ROWS = 65_536;

  private final String text;
  private final List<Integer> rows;
  private final List<Integer> contexts;
  private final Optional<Path> file;

  private BucketPolicy(
      String text, List<Integer> rows, List<Integer> contexts, Optional<Path> file) {
    this.text = text;
    this.rows = List.copyOf(rows);
    this.contexts = List.copyOf(contexts);
    this.file = file;
  }

  /** These row counts with these contexts; no contexts means the longest of the model. */
  public static BucketPolicy list(List<Integer> rows, List<Integer> contexts) {
    return parse("list:" + joined(rows) + (contexts.isEmpty() ? "" : "x" + joined(contexts)));
  }

  /** Rows 1, 2, 4 … {@code maxRows} with the longest context of the model. */
  public static BucketPolicy powersOfTwo(int maxRows) {
    return parse("pow2:" + maxRows);
  }

  /** Rows in steps up to {@code maxRows} with the longest context of the model. */
  public static BucketPolicy fixedStep(int step, int maxRows) {
    return parse("step:" + step + ":" + maxRows);
  }

  /** The buckets of a file. */
  public static BucketPolicy file(Path file) {
    return new BucketPolicy("file:" + file, List.of(), List.of(), Optional.of(file));
  }

  private static String joined(List<Integer> sizes) {
    return sizes.stream().map(String::valueOf).collect(Collectors.joining(","));
  }

  /**
   * The policy that a text says.
   *
   * @throws IllegalArgumentException if it says none; the message quotes what is wrong and says
   *     what would do
   */
  public static BucketPolicy parse(String text) {
    int colon = text.indexOf(':');
    if (colon < 0) {
      throw new IllegalArgumentException("\"" + text + "\" is no choice of buckets; try " + FORMS);
    }
    String kind = text.substring(0, colon);
    String rest = text.substring(colon + 1);
    if (kind.equals("file")) {
      return file(path(rest));
    }
    int x = rest.indexOf('x');
    String rowPart = x < 0 ? rest : rest.substring(0, x);
    List<Integer> contexts = x < 0 ? List.of() : sizes(text, rest.substring(x + 1));
    List<Integer> rows =
        switch (kind) {
          case "list" -> sizes(text, rowPart);
          case "pow2" -> upTo(text, rowPart, BucketSizes::powersOfTwo);
          case "vllm" -> upTo(text, rowPart, BucketSizes::vllm);
          case "sglang" -> upTo(text, rowPart, BucketSizes::sglang);
          case "tensorrt-llm" -> upTo(text, rowPart, BucketSizes::tensorRtLlm);
          case "step" -> stepping(text, rowPart);
          default ->
              throw new IllegalArgumentException(
                  "\"%s\" in \"%s\" is no kind of buckets; try %s".formatted(kind, text, FORMS));
        };
    return new BucketPolicy(text, rows, contexts, Optional.empty());
  }

  private static Path path(String rest) {
    try {
      if (!rest.isBlank()) {
        return Path.of(rest);
      }
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException("file:" + rest + " is no path: " + e.getReason(), e);
    }
    throw new IllegalArgumentException("file: needs a path, as in file:buckets.json");
  }

  private static List<Integer> upTo(String text, String part, IntFunction<List<Integer>> rule) {
    return rule.apply(size(text, part, MOST_ROWS));
  }

  private static List<Integer> stepping(String text, String part) {
    String[] parts = part.split(":", -1);
    if (parts.length != 2) {
      throw new IllegalArgumentException(
          "\"" + text + "\" needs a step and the most rows, as in step:8:64");
    }
    return BucketSizes.fixedStep(size(text, parts[0], MOST_ROWS), size(text, parts[1], MOST_ROWS));
  }

  private static List<Integer> sizes(String text, String part) {
    List<Integer> sizes = new ArrayList<>();
    for (String item : part.split(",", -1)) {
      sizes.add(size(text, item, Integer.MAX_VALUE));
    }
    return sizes;
  }

  private static int size(String text, String item, int most) {
    try {
      int size = Integer.parseInt(item.strip());
      if (size >= 1 && size <= most) {
        return size;
      }
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(notASize(text, item, most), e);
    }
    throw new IllegalArgumentException(notASize(text, item, most));
  }

  private static String notASize(String text, String item, int most) {
    return "\"%s\" in \"%s\" is not a whole number from 1 to %d; try %s"
        .formatted(item, text, most, FORMS);
  }

  /**
   * The buckets for a model, read now where they are in a file.
   *
   * @param maxContext positions that the model can have
   * @throws IllegalArgumentException if the file is not valid, or a bucket is longer than that
   */
  public BucketSet buckets(int maxContext) {
    BucketSet set =
        file.map(path -> BucketFile.read(path).buckets())
            .orElseGet(
                () -> BucketSet.of(rows, contexts.isEmpty() ? List.of(maxContext) : contexts));
    if (set.maxContext() > maxContext) {
      throw new IllegalArgumentException(
          "%s has a bucket of %d positions, but the model has %d; use contexts up to that"
              .formatted(text, set.maxContext(), maxContext));
    }
    return set;
  }

  /** The text that {@link #parse} reads. */
  @Override
  public String toString() {
    return text;
  }
}
