package dev.reprise.graph.tune;

import dev.reprise.graph.json.JsonDocument;
import dev.reprise.graph.json.JsonFormatException;
import dev.reprise.graph.json.JsonValue;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A recorded workload in JSON lines. Each line is either a request, {@code {"at_ms": 12.5,
 * "prompt": 120, "output": 64}}, or decode steps of one shape, {@code {"rows": 8, "positions":
 * 1030, "steps": 12}}, where {@code steps} is 1 when left out; a file holds one kind. Empty lines
 * are passed over.
 */
public sealed interface TraceFile {

  /** Requests, which a {@link BatchingSimulator} turns into steps. */
  record Requests(List<Arrival> arrivals) implements TraceFile {

    /** Copies the list. */
    public Requests {
      arrivals = List.copyOf(arrivals);
    }
  }

  /** Steps as they were run. */
  record Steps(StepHistogram histogram) implements TraceFile {}

  /**
   * Reads a file.
   *
   * @throws IllegalArgumentException if it cannot be read or a line is wrong; the message names
   *     file, line, field and remedy
   */
  static TraceFile read(Path file) {
    if (Files.isDirectory(file)) {
      throw new JsonFormatException(file + ": this is a folder; name the file in it");
    }
    List<Arrival> arrivals = new ArrayList<>();
    StepHistogram steps = new StepHistogram();
    TraceLine plain = new TraceLine();
    int number = 0;
    try (BufferedReader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        number++;
        if (plain.read(line) && (plain.isSteps() ? arrivals.isEmpty() : steps.steps() == 0)) {
          add(plain, arrivals, steps);
        } else if (!line.isBlank()) {
          add(JsonDocument.parse(file.toString(), number, line), arrivals, steps);
        }
      }
    } catch (NoSuchFileException e) {
      throw new JsonFormatException(file + ": there is no such file");
    } catch (CharacterCodingException e) {
      throw new JsonFormatException(
          "%s:%d: this line or one after it is not UTF-8".formatted(file, number + 1));
    } catch (IOException e) {
      throw new JsonFormatException(file + ": it cannot be read: " + e.getMessage());
    }
    if (arrivals.isEmpty() && steps.steps() == 0) {
      throw new JsonFormatException(
          file + ": it holds no line such as {\"at_ms\": 0, \"prompt\": 120, \"output\": 64}");
    }
    return arrivals.isEmpty() ? new Steps(steps) : new Requests(arrivals);
  }

  private static void add(TraceLine line, List<Arrival> arrivals, StepHistogram steps) {
    if (line.isSteps()) {
      steps.add(line.rows(), line.positions(), line.steps());
    } else {
      arrivals.add(line.arrival());
    }
  }

  private static void add(JsonValue line, List<Arrival> arrivals, StepHistogram steps) {
    if (line.has("rows")) {
      if (!arrivals.isEmpty()) {
        throw mixed(line);
      }
      line.knows("rows", "positions", "steps");
      int count = line.has("steps") ? line.field("steps").whole(1) : 1;
      steps.add(line.field("rows").whole(1), line.field("positions").whole(1), count);
      return;
    }
    if (steps.steps() > 0) {
      throw mixed(line);
    }
    line.knows("at_ms", "prompt", "output");
    arrivals.add(
        new Arrival(
            line.field("at_ms").amount(),
            line.field("prompt").whole(1),
            line.field("output").whole(1)));
  }

  private static JsonFormatException mixed(JsonValue line) {
    return line.error("requests and steps are mixed; a trace holds one kind of line");
  }
}
